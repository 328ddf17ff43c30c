// The people of one community, for those who are too many to be drawn one by one.

import { useEffect, useState } from "react";
import { useAsked } from "../fold/store";
import { useHere } from "../parts/context";
import { count, percent } from "../parts/format";
import { Problem, Sheet } from "../parts/ui";
import { get, query, runPath } from "../wire/api";
import type { Members, PersonRow } from "../wire/types";

const PAGE = 100;

export function CommunitySheet({ id, close }: { id: number; close: () => void }) {
  const { feed, at, openPerson } = useHere();
  const [offset, setOffset] = useState(0);
  const [people, setPeople] = useState<PersonRow[]>([]);
  const asked = useAsked(
    (signal) => get<Members>(`${runPath(feed.id)}/communities/${id}${query({ at, offset, limit: PAGE })}`, signal), `${id} ${at ?? "now"} ${offset}`,
  );
  const found = asked.value;
  useEffect(() => { if (found) setPeople((old) => [...old.slice(0, offset), ...found.people]); }, [found, offset]);
  const [size, setSize] = useState<number | null>(null);
  const [label, setLabel] = useState("");
  useEffect(() => { if (found) { setSize(found.size); setLabel(found.label); } }, [found]);
  const open = (who: number) => { close(); openPerson(who); };
  return (
    <Sheet title={label ? `Community: ${label}` : `Community ${id}`} close={close}>
      <Problem again={asked.again}>{asked.problem}</Problem>
      {size === null ? <p className="faint">{asked.problem ? "" : "Loading …"}</p> : (
        <>
          <p className="hint">{count(size)} people who mostly know each other, those with the most ties first. {label ? "Named after what most of them like." : ""}</p>
          <div className="table-box members">
            <table>
              <thead><tr><th scope="col">Person</th><th scope="col">Who</th><th scope="col" className="number">Visits</th><th scope="col" className="number">Satisfied</th></tr></thead>
              <tbody>{people.map((one) => (
                <tr key={one.id}>
                  <td><button type="button" className="link" onClick={() => open(one.id)}>{one.name}</button> <span className="faint small">{one.id}</span></td>
                  <td className="small">{[one.age, one.career].filter(Boolean).join(" · ") || "–"}</td>
                  <td className="number">{count(one.visits ?? 0)}</td>
                  <td className="number">{one.visits ? percent(one.satisfaction ?? 0) : "–"}</td>
                </tr>))}</tbody>
            </table>
          </div>
          {people.length < size ? <div className="tools"><button type="button" disabled={asked.busy} onClick={() => setOffset(people.length)}>{PAGE} more</button>
            <span className="faint small">{count(people.length)} of {count(size)}</span></div> : null}
        </>
      )}
    </Sheet>
  );
}
