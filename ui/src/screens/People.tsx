// Everybody with what they did: sorted, filtered, and one click from a person's decisions.

import { useEffect } from "react";
import { useAsked, useFeed, useSettled } from "../fold/store";
import { useHere } from "../parts/context";
import { count, measure } from "../parts/format";
import { choose, useNumber, useParam } from "../parts/route";
import { Bar, Empty, Problem } from "../parts/ui";
import { get, query, runPath } from "../wire/api";
import type { PeoplePage, PersonLine } from "../wire/types";

const PAGE = 50;
type Sort = "id" | "name" | "satisfaction" | "visits" | "picks" | "stars" | "last" | "failures";
const COLUMNS: [Sort, string, string][] = [
  ["name", "Person", ""], ["satisfaction", "Satisfaction", "How content they are now, 0 to 1"], ["visits", "Visits", "How often they came"],
  ["picks", "Picks", "Items they took"], ["stars", "Stars", "Mean of the stars they gave"], ["last", "Last visit", "The round in which they came last"],
  ["failures", "Failures", "Decisions that could not be made"],
];
const ONLY: [string, string][] = [
  ["", "Everybody"], ["unhappy", "Satisfaction below 0.35"], ["happy", "Satisfaction above 0.65"], ["failed", "With failed decisions"],
  ["absent", "Not here for five rounds"], ["never", "Never came"],
];

export function PeopleTab() {
  const { feed, openPerson } = useHere();
  useFeed(feed, 1);
  const [words] = useParam("words", "");
  const [only] = useParam("only", "");
  const [sort] = useParam<Sort>("sort", "satisfaction");
  const [order] = useParam("order", "up");
  const down = order === "down";
  const [from, setOffset] = useNumber("from");
  const offset = from ?? 0;
  const settled = useSettled(words.trim(), 200);
  const path = `${runPath(feed.id)}/people-table${query({ query: settled, only, sort, down: down ? "true" : "", offset, limit: PAGE })}`;
  const asked = useAsked((signal) => get<PeoplePage>(path, signal), path);
  const round = feed.control?.round ?? 0;
  const again = asked.again;
  useEffect(() => {
    const timer = window.setTimeout(again, 1000);
    return () => window.clearTimeout(timer);
  }, [round, again]);
  const found = asked.value;
  const by = (next: Sort) => {
    const isDown = next === sort ? !down : next === "failures" || next === "picks" || next === "visits";
    choose({ sort: next, order: isDown ? "down" : null, from: null });
  };
  return (
    <section className="card stack" aria-label="People">
      <div className="row-between"><h2>People</h2>
        <div className="tools">
          <label className="hidden" htmlFor="people-words">Words</label>
          <input id="people-words" type="search" placeholder="Name, interest, job …" value={words} onChange={(event) => choose({ words: event.target.value, from: null }, "replace")} />
          <label className="small">Show <select value={only} onChange={(event) => choose({ only: event.target.value, from: null })}>{ONLY.map(([is, name]) => <option key={is} value={is}>{name}</option>)}</select></label>
        </div></div>
      <Problem again={again}>{asked.problem}</Problem>
      {found && !found.total ? <Empty title="Nobody fits">Choose other words, or show everybody.</Empty> : null}
      {found?.total ? (
        <>
          <div className="table-box"><table><thead><tr>{COLUMNS.map(([is, name, told]) => (
            <th key={is} scope="col" className={is === "name" ? "" : "number"} aria-sort={sort === is ? (down ? "descending" : "ascending") : "none"} title={told}>
              <button type="button" className="link" onClick={() => by(is)}>{name}{sort === is ? (down ? " ↓" : " ↑") : ""}</button></th>))}
            <th scope="col">Interests</th></tr></thead>
            <tbody>{found.rows.map((one) => <Line key={one.id} one={one} open={() => openPerson(one.id)} />)}</tbody></table></div>
          <div className="tools"><button type="button" disabled={!offset} onClick={() => setOffset(Math.max(0, offset - PAGE) || null)}>Back</button>
            <span className="faint small" role="status">{count(offset + 1)} to {count(offset + found.rows.length)} of {count(found.total)}</span>
            <button type="button" disabled={offset + PAGE >= found.total} onClick={() => setOffset(offset + PAGE)}>On</button></div>
        </>
      ) : found ? null : <p className="faint">Counting …</p>}
    </section>
  );
}

function Line({ one, open }: { one: PersonLine; open: () => void }) {
  return (
    <tr>
      <th scope="row"><button type="button" className="link person" onClick={open}>{one.name}</button> <span className="faint small">{one.id}{one.age ? ` · ${one.age}` : ""}{one.career ? ` · ${one.career}` : ""}</span></th>
      <td className="number nowrap">{one.visits ? <><Bar value={one.satisfaction} label={`satisfaction ${one.satisfaction}`} /> {measure(one.satisfaction)}</> : <span className="faint">–</span>}</td>
      <td className="number">{count(one.visits)}</td><td className="number">{count(one.picks)}</td><td className="number">{measure(one.stars)}</td>
      <td className="number">{one.last ? `round ${one.last}` : <span className="faint">never</span>}</td>
      <td className={`number ${one.failures ? "warn" : ""}`}>{count(one.failures)}</td><td className="small">{one.interests.join(", ")}</td>
    </tr>
  );
}
