// All runs there are, also those started in a terminal; an experiment's runs are folded below it.

import { useMemo, useState } from "react";
import { grouped, matching, ofStudy, runLines, sorted, type Column, type Listed, type Whole } from "../fold/groups";
import { said, useAsked, useEvery } from "../fold/store";
import { count, measure, money, when } from "../parts/format";
import { address, choose, useParam } from "../parts/route";
import { Empty, Problem, StateMark } from "../parts/ui";
import { get, send } from "../wire/api";
import type { DeletedRow, ExperimentRow, LabReply, ListedRun, RunState, Session } from "../wire/types";
import { TrashSheet, Undo, useDeleted } from "./Trash";

const GOING = ["running", "elsewhere", "trying"];

const COLUMNS: [Column, string, string][] = [
  ["name", "Run", "Its name, which is also its folder"], ["state", "State", ""], ["rounds", "Progress", "Rounds of a run, runs of an experiment"],
  ["people", "People", ""], ["outcome", "Outcome", "Mean satisfaction with which people left, 0 to 1; of an experiment the verdict in short"],
  ["changed", "Last changed", ""], ["calls", "Calls", "Calls to language models"], ["cost", "Cost", "What its calls have cost"],
  ["failures", "Failures", "Decisions and pages that failed"],
];
const NUMBERS: Column[] = ["people", "calls", "cost", "failures"];
/** Columns that one reads from the top down: newest, most, worst first. */
const DOWN: Column[] = ["changed", "outcome", "calls", "cost", "failures", "people", "rounds"];

export function ListScreen({ session }: { session: Session }) {
  const runs = useAsked((signal) => get<ListedRun[]>("/runs", signal), "runs");
  const wholes = useAsked((signal) => get<ExperimentRow[]>("/experiments", signal), "experiments");
  const lab = useAsked((signal) => get<LabReply>("/lab", signal), "lab");
  const deleted = useDeleted();
  const [find] = useParam("find", "");
  const [by] = useParam<Column>("sort", "changed");
  const [order] = useParam("order", "");
  const [trash, setTrash] = useParam("trash", "");
  const [marked, setMarked] = useState<string[]>([]);
  const [problem, setProblem] = useState("");
  const again = () => { runs.again(); wholes.again(); lab.again(); };
  const lines = useMemo(
    () => grouped(runs.value ?? [], [...(wholes.value ?? []), ...(lab.value?.results ?? []).filter((one) => one.kind === "study").map(ofStudy)]),
    [runs.value, wholes.value, lab.value],
  );
  const isGoing = lines.some((one) => GOING.includes(one.state));
  const isCounting = (runs.value ?? []).some((one) => one.failures === null && one.state !== "elsewhere");
  useEvery(isCounting ? 1000 : isGoing ? 2000 : 8000, again);
  const down = order ? order === "down" : DOWN.includes(by);
  const shown = useMemo(() => sorted(matching(lines, find), by, down), [lines, find, by, down]);
  const chosen = marked.filter((id) => lines.some((one) => one.id === id || one.runs.some((run) => run.id === id)));
  const pair = chosen.filter((id) => !lines.some((one) => one.id === id && one.whole));
  const mark = (id: string) => setMarked((old) => old.includes(id) ? old.filter((one) => one !== id) : [...old, id]);
  const remove = async () => {
    setProblem("");
    try {
      for (const id of chosen) deleted.add(await send<DeletedRow>("/trash", { id }));
      setMarked([]);
    } catch (failure) { setProblem(said(failure)); }
    again();
  };
  return (
    <div className="page list">
      <div className="page-head">
        <div><h1>Runs</h1><p className="faint break">{session.runs_folder}</p></div>
        <div className="tools">
          <label className="hidden" htmlFor="find-run">Find a run</label>
          <input id="find-run" type="search" placeholder="Find a run" value={find} onChange={(event) => choose({ find: event.target.value }, "replace")} />
          {session.is_private ? <button type="button" onClick={() => setTrash("open")}>Trash</button> : null}
          <a className="button main" href={address({ screen: "new" })}>New run</a>
        </div>
      </div>
      <Problem again={again}>{runs.problem || wholes.problem}</Problem>
      <Problem>{problem}</Problem>
      <Undo deleted={deleted} done={again} />
      {chosen.length ? (
        <div className="chosen-bar" role="region" aria-label="What to do with the chosen runs">
          <span className="strong">{chosen.length} chosen</span>
          {chosen.length === 2 && pair.length === 2 ? <a className="button" href={address({ screen: "compare", a: pair[0] ?? "", b: pair[1] ?? "" })}>Compare two</a>
            : <button type="button" disabled title="Choose two runs to compare them">Compare two</button>}
          {chosen.length === 1 ? <a className="button" href={address({ screen: "new", chosen: { like: chosen[0] } })}>Clone with changes</a> : null}
          {session.is_private ? <button type="button" onClick={() => void remove()}>Delete</button> : null}
          <button type="button" className="quiet" onClick={() => setMarked([])}>Choose none</button>
        </div>
      ) : null}
      {runs.value && wholes.value && !lines.length
        ? <Empty title="No runs yet">Start one here, or in a terminal with <code>audience run</code>: both appear in this list.</Empty>
        : null}
      {lines.length && !shown.length ? <Empty title="Nothing matches">No run has “{find}” in its name, title, recommender or state.</Empty> : null}
      {shown.length ? <Table lines={shown} by={by} down={down} marked={marked} mark={mark} find={find} /> : null}
      {trash ? <TrashSheet close={() => setTrash("")} done={(row) => { if (row) deleted.drop(row.key); else deleted.clear(); again(); }} /> : null}
    </div>
  );
}

function Table({ lines, by, down, marked, mark, find }: {
  lines: Listed[]; by: Column; down: boolean; marked: string[]; mark: (id: string) => void; find: string;
}) {
  const [unfolded] = useParam("open", "");
  const open = unfolded ? unfolded.split(" ") : [];
  const flip = (id: string) => choose({ open: (open.includes(id) ? open.filter((one) => one !== id) : [...open, id]).join(" ") }, "replace");
  const sortBy = (next: Column) => {
    const isDown = next === by ? !down : DOWN.includes(next);
    choose({ sort: next === "changed" ? null : next, order: isDown === DOWN.includes(next) ? null : isDown ? "down" : "up" });
  };
  const row = (one: Listed, isInside = false) => <Row key={one.id} one={one} isInside={isInside} isMarked={marked.includes(one.id)} mark={mark} />;
  return (
    <div className="table-box">
      <table className="runs">
        <thead><tr>
          <th scope="col"><span className="hidden">Choose</span></th>
          {COLUMNS.map(([is, name, told]) => (
            <th key={is} scope="col" className={NUMBERS.includes(is) ? "number" : ""} aria-sort={is === by ? (down ? "descending" : "ascending") : undefined}>
              <button type="button" className="quiet sort" title={told || undefined} onClick={() => sortBy(is)}>{name}<span aria-hidden="true">{is === by ? (down ? " ↓" : " ↑") : ""}</span></button></th>
          ))}
        </tr></thead>
        <tbody>{lines.flatMap((one) => {
          const isOpen = open.includes(one.id) || Boolean(find && one.runs.length && matching(runLines(one.runs), find).length && !matching([{ ...one, runs: [] }], find).length);
          return one.whole
            ? [<WholeRow key={one.id} one={one} whole={one.whole} isOpen={isOpen} flip={() => flip(one.id)} isMarked={marked.includes(one.id)} mark={mark} />,
              ...(isOpen ? sorted(runLines(one.runs), by, down).map((run) => row(run, true)) : [])]
            : [row(one)];
        })}</tbody>
      </table>
    </div>
  );
}

function Chooser({ id, isMarked, mark }: { id: string; isMarked: boolean; mark: (id: string) => void }) {
  return <td><input type="checkbox" aria-label={`Choose ${id}`} checked={isMarked} onChange={() => mark(id)} /></td>;
}

function WholeRow({ one, whole, isOpen, flip, isMarked, mark }: {
  one: Listed; whole: Whole; isOpen: boolean; flip: () => void; isMarked: boolean; mark: (id: string) => void;
}) {
  return (
    <tr className="whole">
      <Chooser id={one.id} isMarked={isMarked} mark={mark} />
      <td className="name-cell"><div className="fold"><button type="button" className="quiet icon" aria-expanded={isOpen} aria-label={`Runs of ${one.id}`} onClick={flip}><span aria-hidden="true">{isOpen ? "▾" : "▸"}</span></button>
        <div><a className="strong" href={address({ screen: whole.isStudy ? "lab" : "experiment", id: one.id })}>{one.id}</a>
          <div className="faint small">{one.title} · {whole.arms.join(", ")} · {whole.seeds} {whole.seeds === 1 ? "seed" : "seeds"}</div><Wrong text={one.error} /></div></div></td>
      <td><StateMark state={one.state as RunState | "trying"} /></td>
      <td><Progress done={one.done} all={one.all} what="runs" /></td>
      <Figures one={one} />
    </tr>
  );
}

function Row({ one, isInside, isMarked, mark }: { one: Listed; isInside: boolean; isMarked: boolean; mark: (id: string) => void }) {
  const run = one.run;
  const name = isInside ? one.id.slice((run?.group.length ?? 0) + 1).replaceAll("~", " · ") : one.id;
  return (
    <tr className={isInside ? "inside" : ""}>
      <Chooser id={one.id} isMarked={isMarked} mark={mark} />
      <td className="name-cell"><a className="strong" href={address({ screen: "run", id: one.id, tab: "watch" })}>{name}</a>
        {isInside ? null : <div className="faint small">{one.title}{run?.recommender ? ` · ${run.recommender}` : ""}{run?.mind ? ` · ${run.mind}` : ""}
          {run?.parent ? ` · branch of ${run.parent} at round ${run.branch_at ?? 0}` : ""}</div>}<Wrong text={one.error} /></td>
      <td><StateMark state={one.state as RunState} /></td>
      <td><Progress done={one.done} all={one.all} what="rounds" /></td>
      <Figures one={one} />
    </tr>
  );
}

/** Why something failed; long texts unfold. */
function Wrong({ text }: { text: string }) {
  if (!text) return null;
  if (text.length < 160) return <p className="row-error">{text}</p>;
  return <details className="row-error"><summary>{text.slice(0, 140)} …</summary>{text}</details>;
}

function Figures({ one }: { one: Listed }) {
  return (
    <>
      <td className="number">{count(one.people)}</td>
      <td className="outcome">{one.verdict ? <span className="small clamp" title={one.verdict}>{one.verdict}</span> : one.satisfaction === null ? <span className="faint">–</span>
        : <span title="Mean satisfaction with which people left, 0 to 1">{measure(one.satisfaction)} <span className="faint small">satisfied</span></span>}</td>
      <td className="faint small nowrap">{one.changed ? when(one.changed) : "–"}</td>
      <td className="number">{one.calls ? count(one.calls) : "–"}</td><td className="number">{one.calls ? money(one.cost) : "–"}</td>
      <td className="number"><Failures one={one} /></td>
    </>
  );
}

function Failures({ one }: { one: Listed }) {
  if (one.failures === null && (one.people === null || one.state === "elsewhere")) return <span className="faint">–</span>;
  if (one.failures === null) return <span className="faint" title="Counting …">…</span>;
  if (!one.failures && !one.run?.failed_calls) return <>0</>;
  if (!one.run) return <span className="warn">{count(one.failures)}</span>;
  const to = one.run.failed_calls
    ? address({ screen: "run", id: one.id, tab: "calls", chosen: { ended: "failed" } })
    : address({ screen: "run", id: one.id, tab: "people", chosen: { only: "failed", sort: "failures", order: "down" } });
  return <a className="warn" href={to} title={one.run.failed_calls ? `${one.run.failed_calls} calls failed; see each` : "See who had them"}>{count(one.failures || one.run.failed_calls)}</a>;
}

function Progress({ done, all, what }: { done: number; all: number; what: string }) {
  return (
    <span className="rounds">
      <progress max={all || 1} value={done} aria-label={`${done} of ${all} ${what}`} />
      <span className="faint small">{done} / {all} {what === "runs" ? "runs" : ""}</span>
    </span>
  );
}
