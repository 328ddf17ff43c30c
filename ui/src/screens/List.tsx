// All runs there are, also those started in a terminal.

import { useMemo, useState } from "react";
import { useAsked, useEvery } from "../fold/store";
import { count, money } from "../parts/format";
import { address, go } from "../parts/route";
import { Empty, Problem, StateMark } from "../parts/ui";
import { get } from "../wire/api";
import type { ExperimentRow, RunRow, RunState, Session } from "../wire/types";

export function ListScreen({ session }: { session: Session }) {
  const asked = useAsked((signal) => get<RunRow[]>("/runs", signal), "runs");
  const [find, setFind] = useState("");
  const [marked, setMarked] = useState<string[]>([]);
  const rows = asked.value ?? [];
  useEvery(rows.some((one) => one.state === "running" || one.state === "elsewhere") ? 2000 : 8000, asked.again);
  const shown = useMemo(() => {
    const words = find.toLowerCase();
    return rows.filter((one) => `${one.id} ${one.title} ${one.recommender ?? ""}`.toLowerCase().includes(words));
  }, [rows, find]);
  const mark = (id: string) => setMarked((old) => old.includes(id) ? old.filter((one) => one !== id) : [...old, id].slice(-2));
  return (
    <div className="page">
      <div className="page-head">
        <div><h1>Runs</h1><p className="faint">{session.runs_folder}</p></div>
        <div className="tools">
          <label className="hidden" htmlFor="find-run">Find a run</label>
          <input id="find-run" type="search" placeholder="Find a run" value={find} onChange={(event) => setFind(event.target.value)} />
          <button type="button" disabled={marked.length !== 2}
            onClick={() => go({ screen: "compare", a: marked[0] ?? "", b: marked[1] ?? "" })}>Compare two</button>
          <a className="button main" href={address({ screen: "new" })}>New run</a>
        </div>
      </div>
      <Problem again={asked.again}>{asked.problem}</Problem>
      {asked.value && !rows.length
        ? <Empty title="No runs yet">Start one here, or in a terminal with <code>audience run</code>: both appear in this list.</Empty>
        : null}
      {rows.length && !shown.length ? <Empty title="Nothing matches">No run has “{find}” in its name or title.</Empty> : null}
      <ExperimentRows find={find} going={rows.some((one) => one.state === "running")} />
      {shown.length ? <Rows rows={shown} marked={marked} mark={mark} /> : null}
    </div>
  );
}

function ExperimentRows({ find, going }: { find: string; going: boolean }) {
  const asked = useAsked((signal) => get<ExperimentRow[]>("/experiments", signal), "experiments");
  useEvery(going ? 2000 : 8000, asked.again);
  const shown = (asked.value ?? []).filter((one) => `${one.id} ${one.title} ${one.arms.join(" ")}`.toLowerCase().includes(find.toLowerCase()));
  if (!shown.length) return null;
  return (
    <section aria-label="Experiments"><h2>Experiments</h2>
      <div className="table-box"><table><thead><tr><th scope="col">Experiment</th><th scope="col">State</th><th scope="col">Runs</th><th scope="col">Arms</th><th scope="col" className="number">Seeds</th><th scope="col">Last changed</th></tr></thead>
        <tbody>{shown.map((one) => (
          <tr key={one.id}><td><a className="strong" href={address({ screen: "experiment", id: one.id })}>{one.id}</a><div className="faint small">{one.title}</div></td>
            <td><StateMark state={one.state as RunState | "trying"} /></td><td><Rounds done={one.done} all={one.all} what="runs" /></td><td>{one.arms.join(", ")}</td>
            <td className="number">{one.seeds}</td><td className="faint small nowrap">{new Date(one.made * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })}</td></tr>))}</tbody></table></div>
      <h2>Runs</h2>
    </section>
  );
}

function Rows({ rows, marked, mark }: { rows: RunRow[]; marked: string[]; mark: (id: string) => void }) {
  return (
    <div className="table-box">
      <table>
        <thead><tr>
          <th scope="col"><span className="hidden">Compare</span></th><th scope="col">Run</th><th scope="col">State</th>
          <th scope="col">Rounds</th><th scope="col" className="number">People</th><th scope="col" className="number">Seed</th>
          <th scope="col" className="number">Calls</th><th scope="col" className="number">Cost</th>
        </tr></thead>
        <tbody>{rows.map((one) => (
          <tr key={one.id}>
            <td><input type="checkbox" aria-label={`Compare ${one.id}`} checked={marked.includes(one.id)} onChange={() => mark(one.id)} /></td>
            <td>
              <a className="strong" href={address({ screen: "run", id: one.id, tab: "watch" })}>{one.id}</a>
              <div className="faint small">{one.title}{one.recommender ? ` · ${one.recommender}` : ""}{one.mind ? ` · ${one.mind}` : ""}
                {one.parent ? ` · branch of ${one.parent} at round ${one.branch_at ?? 0}` : ""}</div>
            </td>
            <td><StateMark state={one.state} /></td>
            <td><Rounds done={one.round} all={one.rounds} /></td>
            <td className="number">{count(one.agents)}</td><td className="number">{one.seed}</td>
            <td className="number">{count(one.calls)}</td><td className="number">{money(one.cost)}</td>
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}

function Rounds({ done, all, what = "rounds" }: { done: number; all: number; what?: string }) {
  return (
    <span className="rounds">
      <progress max={all || 1} value={done} aria-label={`${done} of ${all} ${what}`} />
      <span className="faint small">{done} / {all}</span>
    </span>
  );
}
