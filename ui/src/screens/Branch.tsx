// What if? A branch shares the past up to a round and goes on in another way.

import { useState } from "react";
import { said, useAsked, useFeed } from "../fold/store";
import { change as told } from "../fold/events";
import { useHere } from "../parts/context";
import { address, go } from "../parts/route";
import { Empty, Field, Problem, StateMark } from "../parts/ui";
import { get, runPath, send } from "../wire/api";
import type { Change, RunRow, StartedRun } from "../wire/types";
import { DraftContext, FORMS, type What } from "./ChangeForms";

const CHANGES: [What | "", string][] = [
  ["", "Nothing (the same run again)"], ["recommender", "Different recommender"], ["announce", "An announcement"], ["advertise", "An advertisement"], ["topic", "A topic"],
  ["item", "A new item"], ["person", "A new person"], ["profile", "Changed profile"], ["tie", "Added or cut tie"], ["silence", "Silenced person"],
];

export function BranchTab() {
  const { feed, at, travel } = useHere();
  useFeed(feed, 1);
  const now = feed.control?.round ?? 0;
  const isOver = feed.control?.state === "finished";
  const point = at ?? (isOver ? Math.floor(now / 2) : now);
  const [what, setWhat] = useState<What | "">("recommender");
  const [changes, setChanges] = useState<Change[]>([]);
  const [name, setName] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const runs = useAsked((signal) => get<RunRow[]>("/runs", signal), "runs");
  const make = async () => {
    setProblem(""); setBusy(true);
    try {
      const made = await send<StartedRun>(`${runPath(feed.id)}/branch`, {
        at: point, interventions: changes.map((change) => ({ round: point + 1, ...change })), ...(name.trim() ? { name: name.trim() } : {}),
      });
      go({ screen: "compare", a: feed.id, b: made.id });
    } catch (failure) { setProblem(said(failure)); setBusy(false); }
  };
  const family = (runs.value ?? []).filter((one) => one.id !== feed.id && (one.parent === feed.id || one.id === feed.detail?.parent || (one.parent && one.parent === feed.detail?.parent)));
  const others = (runs.value ?? []).filter((one) => one.id !== feed.id && !family.includes(one));
  const Form = what ? FORMS[what] : null;
  return (
    <div className="split">
      <section className="card stack" aria-label="A branch">
        <h2>Branch</h2>
        <Field label={`At the end of round ${point}`} hint="Same as the timeline above. Both runs share everything before this point.">
          {(id, hint) => <input id={id} aria-describedby={hint} type="range" min={0} max={Math.max(now, 1)} value={point} onChange={(event) => { const to = Number(event.target.value); travel(to >= now ? null : to); }} />}</Field>
        <Field label="What changes from then on">{(id) => <select id={id} value={what} onChange={(event) => setWhat(event.target.value as What | "")}>
          {CHANGES.map(([is, label]) => <option key={is} value={is}>{label}</option>)}</select>}</Field>
        {Form ? <div className="inset"><DraftContext.Provider value><Form key={`${what} ${changes.length}`} make={(change) => { setChanges((old) => [...old, change]); return Promise.resolve(true); }} /></DraftContext.Provider></div> : null}
        {changes.length ? <ul className="changes">{changes.map((one, place) => (
          <li key={place}><span className="tag pending">round {point + 1}</span><span>{told(one)}</span>
            <button type="button" className="quiet icon" aria-label="Remove this change" onClick={() => setChanges(changes.filter((_, other) => other !== place))}>✕</button></li>))}</ul>
          : Form ? <p className="hint">You can add several changes.</p> : null}
        <Field label="Name of the branch" hint="Leave empty to generate one.">{(id, hint) => <input id={id} aria-describedby={hint} value={name} onChange={(event) => setName(event.target.value)} autoComplete="off" />}</Field>
        <Problem>{problem}</Problem>
        <div className="tools"><button type="button" className="main" disabled={busy || (what !== "" && !changes.length)} onClick={() => void make()}>Branch and compare</button></div>
      </section>
      <section className="card" aria-label="Compare with">
        <h2>Compare with</h2>
        {family.length ? <><h3>Branches</h3><Rows rows={family} mine={feed.id} /></> : <Empty title="No branches yet">Branches of this run appear here for comparison.</Empty>}
        {others.length ? <><h3>Other runs</h3><Rows rows={others.slice(0, 30)} mine={feed.id} /></> : null}
      </section>
    </div>
  );
}

function Rows({ rows, mine }: { rows: RunRow[]; mine: string }) {
  return (
    <ul className="plain">{rows.map((one) => (
      <li key={one.id} className="row-between line"><span><a className="strong" href={address({ screen: "run", id: one.id, tab: "watch" })}>{one.id}</a> <span className="faint small">{one.parent ? `from round ${one.branch_at ?? 0}` : one.title}</span></span>
        <span className="tools"><StateMark state={one.state} /><a className="button" href={address({ screen: "compare", a: mine, b: one.id })} aria-label={`Compare with ${one.id}`}>Compare</a></span></li>))}</ul>
  );
}
