// Changes from outside: each a recorded intervention that applies when the next round opens.

import { useEffect, useState } from "react";
import { said, useAsked, useFeed } from "../fold/store";
import { change as told } from "../fold/events";
import { useHere } from "../parts/context";
import { address, useNumber, useParam } from "../parts/route";
import { Empty, Problem, Tabs } from "../parts/ui";
import { get, runPath, send } from "../wire/api";
import type { Change, Intervention, QueuedChange } from "../wire/types";
import { FORMS, type What } from "./ChangeForms";

const WHAT: [What, string][] = [
  ["profile", "Edit a profile"], ["person", "Add a person"], ["tie", "Ties"], ["announce", "Announce"],
  ["advertise", "Advertise"], ["topic", "Raise a topic"], ["item", "Add an item"], ["recommender", "Recommender"], ["silence", "Silence"],
];

export function ChangeTab() {
  const { feed } = useHere();
  useFeed(feed, 2);
  const [who] = useNumber("who");
  const [what, setWhat] = useParam<What>("what", who === null ? "announce" : "profile");
  const [problem, setProblem] = useState("");
  const [done, setDone] = useState("");
  const asked = useAsked((signal) => get<Intervention[]>(`${runPath(feed.id)}/interventions`, signal), feed.id);
  const again = asked.again;
  const round = feed.control?.round ?? 0;
  useEffect(() => { again(); }, [round, again]);
  const state = feed.control?.state;
  const make = async (change: Change): Promise<boolean> => {
    setProblem(""); setDone("");
    try {
      const made = await send<QueuedChange>(`${runPath(feed.id)}/interventions`, { change });
      setDone(`Recorded. It applies at the start of round ${made.applies_at}.`);
      again();
      return true;
    } catch (failure) { setProblem(said(failure)); return false; }
  };
  const withdraw = (place: number) => {
    setProblem(""); setDone("");
    send(`${runPath(feed.id)}/interventions/${place}`, undefined, "DELETE").then(
      () => { setDone("Withdrawn."); again(); }, (failure: unknown) => { setProblem(said(failure)); again(); },
    );
  };
  const Form = FORMS[what];
  return (
    <div className="split">
      <section className="card stack" aria-label="A change">
        <h2>Change</h2>
        <Tabs label="What to change" chosen={what} choose={(next) => { setWhat(next); setDone(""); setProblem(""); }} choices={WHAT.map(([is, name]) => ({ is, name }))} />
        {state === "running" ? <p className="hint">The run continues meanwhile. Pause it first if the exact round matters.</p> : null}
        {state === "finished" ? <p className="hint">This run has reached its last round. Extend it with <b>More rounds</b> above, or change a <a href={address({ screen: "run", id: feed.id, tab: "branch" })}>branch</a> of it.</p> : null}
        <Form key={what} make={make} />
        <Problem>{problem}</Problem>
        <p className="good" role="status">{done}</p>
      </section>
      <section className="card" aria-label="Interventions">
        <h2>Interventions</h2>
        <Problem again={again}>{asked.problem}</Problem>
        {asked.value?.length ? <List rows={asked.value} withdraw={withdraw} /> : <Empty title="No changes yet">Every change is written into the log with its round, so that the run can be replayed and compared.</Empty>}
      </section>
    </div>
  );
}

function List({ rows, withdraw }: { rows: Intervention[]; withdraw: (place: number) => void }) {
  const sorted = rows.map((one, place) => ({ one, place })).sort((a, b) => (b.one.round ?? Infinity) - (a.one.round ?? Infinity));
  return (
    <ul className="changes">{sorted.map(({ one, place }) => (
      <li key={place}><span className={`tag ${one.state}`}>{one.state === "pending" ? "pending" : "done"}</span>
        <span className="small faint nowrap">{one.round ? `round ${one.round}` : "next round"}</span><span>{told(one)}</span>
        {one.state === "pending" ? <button type="button" className="quiet" onClick={() => withdraw(place)}>Withdraw</button> : null}</li>))}</ul>
  );
}
