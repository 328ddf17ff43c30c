// Two runs side by side: paired differences, the first decision that differs, picks and chats.

import { useMemo, useState } from "react";
import { LineChart } from "../charts/Lines";
import { said, useAsked, useEvery } from "../fold/store";
import { count, measure, signed } from "../parts/format";
import { address, go, useParam } from "../parts/route";
import { MetricTip, WordTip } from "../parts/Tip";
import { Empty, Problem, StateMark, Tabs } from "../parts/ui";
import { get, query, runPath, send } from "../wire/api";
import { ScenarioDiff } from "./Scenario";
import type { Comparison, MetricRow, Metrics, Overlap, DiffSide, ReadProgress, RunRow } from "../wire/types";

export function CompareScreen({ a, b }: { a: string; b: string }) {
  const runs = useAsked((signal) => get<RunRow[]>("/runs", signal), "runs");
  const rows = runs.value ?? [];
  const pair = [a, b].map((id) => rows.find((one) => one.id === id));
  const isGoing = pair.some((one) => one?.state === "running" || one?.state === "elsewhere");
  useEvery(isGoing ? 1500 : 6000, runs.again);
  const [show, setShow] = useParam<"results" | "scenario">("show", "results");
  const choose = (side: "a" | "b", id: string) => go({ screen: "compare", a: side === "a" ? id : a, b: side === "b" ? id : b, chosen: show === "results" ? {} : { show } });
  const sign = pair.map((one) => `${one?.round ?? 0}${one?.state ?? ""}`).join(" ");
  return (
    <div className="page wide">
      <div className="page-head"><div><h1>Compare</h1><p className="faint">Two runs with the same start. Differences are paired, person by person, with 95 % intervals.</p></div></div>
      <div className="pair">{(["a", "b"] as const).map((side, at) => (
        <div key={side} className={`card side-${side}`}><label htmlFor={`side-${side}`}>{at ? "and" : "Compare"}</label>
          <select id={`side-${side}`} value={side === "a" ? a : b} onChange={(event) => choose(side, event.target.value)}>
            <option value="">Choose a run …</option>{rows.map((one) => <option key={one.id} value={one.id}>{one.id} · round {one.round}</option>)}</select>
          {pair[at] ? <RunLine row={pair[at]} again={runs.again} /> : null}</div>))}</div>
      <Problem again={runs.again}>{runs.problem}</Problem>
      {a && b ? (
        <>
          <Tabs label="What to compare" chosen={show} choose={setShow} choices={[{ is: "results", name: "Results" }, { is: "scenario", name: "Scenario" }]} />
          {show === "scenario" ? <ScenarioDiff a={a} b={b} /> : <Both a={a} b={b} sign={sign} parted={parting(pair[0], pair[1])} />}
        </>
      ) : <Empty title="Choose two runs">A run and a branch of it, or two arms of an experiment with the same seed.</Empty>}
    </div>
  );
}

function RunLine({ row, again }: { row: RunRow; again: () => void }) {
  const [problem, setProblem] = useState("");
  const act = (deed: string) => send(`${runPath(row.id)}/control`, { do: deed }).then(again, (failure: unknown) => setProblem(said(failure)));
  const canPlay = row.state === "paused" || row.state === "stopped";
  return (
    <>
      <div className="row-between"><span className="tools"><StateMark state={row.state} /><span className="faint small">round {row.round} of {row.rounds}{row.parent ? ` · branch of ${row.parent} at round ${row.branch_at ?? 0}` : ""}</span></span>
        <span className="tools">
          {canPlay ? <button type="button" onClick={() => void act("play")} aria-label={`Play ${row.id}`}>Play</button> : null}
          {row.state === "running" ? <button type="button" onClick={() => void act("pause")} aria-label={`Pause ${row.id}`}>Pause</button> : null}
          <a className="button" href={address({ screen: "run", id: row.id, tab: "watch" })}>Open</a></span></div>
      <Problem>{problem}</Problem>
    </>
  );
}

/** The last round that two runs share, where one is a branch of the other or both are of the same run; else 0. */
export function parting(a: Pick<RunRow, "id" | "parent" | "branch_at"> | undefined, b: typeof a): number {
  if (!a || !b) return 0;
  if (b.parent === a.id) return b.branch_at ?? 0;
  if (a.parent === b.id) return a.branch_at ?? 0;
  return a.parent && a.parent === b.parent ? Math.min(a.branch_at ?? 0, b.branch_at ?? 0) : 0;
}

function Both({ a, b, sign, parted }: { a: string; b: string; sign: string; parted: number }) {
  const [span, setSpan] = useParam<"since" | "whole">("span", "since");
  const since = span === "since" ? parted : 0;
  const asked = useAsked((signal) => get<Comparison>(`/compare${query({ a, b, ...(since ? { since } : {}) })}`, signal), `${a} ${b} ${since} ${sign}`);
  const [kept, setKept] = useState<Comparison | null>(null);
  if (asked.value && asked.value !== kept) setKept(asked.value);
  const found = asked.value ?? kept;
  if (asked.problem) return <Problem again={asked.again}>{asked.problem}</Problem>;
  if (!found) return <Reading a={a} b={b} />;
  return (
    <>
      <p className="verdict">{found.verdict} <span className="faint">After {found.rounds} {found.rounds === 1 ? "round" : "rounds"} completed by both{found.since ? `; numbers are of rounds ${found.since + 1} to ${found.rounds}, since the branch` : ""}.</span></p>
      {parted ? <label className="check small"><input type="checkbox" checked={span === "since"} onChange={(event) => setSpan(event.target.checked ? "since" : "whole")} /> Only the rounds since the branch, after round {parted}</label> : null}
      <First found={found} a={a} b={b} />
      <Curves a={a} b={b} sign={sign} rows={found.metrics} />
      <section className="card" aria-label="Metrics"><h2>Metrics<WordTip of="paired" /></h2><Table rows={found.metrics} a={a} b={b} /></section>
      <Differing title="Picks" what="picks" found={found.picks} a={a} b={b} />
      <Differing title="Conversations" what="lines" found={found.chats} a={a} b={b} />
    </>
  );
}

/** How far a first comparison is: it reads both runs from their beginning. */
function Reading({ a, b }: { a: string; b: string }) {
  const asked = useAsked((signal) => get<ReadProgress>(`/compare/progress${query({ a, b })}`, signal), `${a} ${b}`);
  useEvery(500, asked.again);
  const { done, total } = asked.value ?? { done: 0, total: 0 };
  return (
    <p className="inline" role="status"><progress max={1} value={total ? done / total : 0} aria-label="Comparing" />
      <span className="faint">{total ? "Reading both runs …" : "Comparing …"}</span></p>
  );
}

function First({ found, a, b }: { found: Comparison; a: string; b: string }) {
  const first = found.first_difference;
  return (
    <section className="card first" aria-label="First difference"><h2>First decision that differs</h2>
      {first ? (
        <>
          <p>Round {first.round}{first.agent !== null ? <>, <span className="strong">{first.name || `person ${first.agent}`}</span> (person {first.agent})</> : ", the platform"}</p>
          <div className="pair"><Side title={a} part={first.a} /><Side title={b} part={first.b} /></div>
        </>
      ) : <p className="good">None: both runs are identical so far.</p>}
    </section>
  );
}

const CURVES = ["satisfaction", "picks", "entropy_consumption", "gini", "rating_mean", "return_rate"];

function Curves({ a, b, sign, rows }: { a: string; b: string; sign: string; rows: MetricRow[] }) {
  const one = useAsked((signal) => get<Metrics>(`${runPath(a)}/metrics`, signal), `${a} ${sign}`).value;
  const two = useAsked((signal) => get<Metrics>(`${runPath(b)}/metrics`, signal), `${b} ${sign}`).value;
  const charts = useMemo(() => {
    if (!one || !two) return [];
    const points = (from: Metrics, name: string) => from.rounds.map((row) => [Number(row["round"]), row[name] ?? null] as [number, number | null]);
    return CURVES.filter((name) => one.rounds.some((row) => row[name] != null)).map((name) => ({
      name, about: <MetricTip name={name} label={one.labels[name]?.label ?? name} unit={one.labels[name]?.round_unit} />, label: `${one.labels[name]?.label ?? name} by round`, unit: one.labels[name]?.round_unit,
      series: [{ name: a, colour: "var(--side-a)", points: points(one, name) }, { name: b, colour: "var(--side-b)", points: points(two, name) }],
    }));
  }, [one, two, a, b, rows]);
  if (!charts.length) return null;
  return <section className="card" aria-label="Round by round"><h2>Round by round</h2><div className="charts">{charts.map(({ name, ...rest }) => <LineChart key={name} title={rest.label} about={rest.about} unit={rest.unit} series={rest.series} />)}</div></section>;
}

function Table({ rows, a, b }: { rows: MetricRow[]; a: string; b: string }) {
  if (!rows.length) return <p className="faint">Nothing to compare yet: one round must be complete in both.</p>;
  const sorted = [...rows].sort((one, two) => Number(isClear(two)) - Number(isClear(one)));
  return (
    <div className="table-box"><table><thead><tr><th scope="col">Metric</th><th scope="col">Mean over</th><th scope="col" className="number">{a}</th><th scope="col" className="number">{b}</th><th scope="col" className="number">Difference</th><th scope="col" className="number">95 % interval<WordTip of="interval" /></th><th scope="col">Interval <span className="faint small">← lower | higher →</span></th></tr></thead>
      <tbody>{sorted.map((one) => (
        <tr key={one.name} className={isClear(one) ? `clear ${one.judgement}` : ""}><th scope="row">{one.label}<MetricTip name={one.name} label={one.label} unit={one.unit} over={one.over} /> {one.unit ? <span className="faint small">{one.unit}</span> : null}</th><td>{one.over}</td>
          <td className="number">{measure(one.a)}</td><td className="number">{measure(one.b)}</td><td className="number difference">{signed(one.difference)}</td>
          <td className="number faint">{one.low == null || one.high == null ? "–" : `${signed(one.low)} to ${signed(one.high)}`}</td><td><Interval row={one} /></td></tr>))}</tbody></table>
      <p className="hint">The line in the middle of an interval is no difference; each row has its own scale.</p></div>
  );
}

const isClear = (row: MetricRow): boolean => row.judgement !== "" && row.judgement !== "unclear";

function Interval({ row }: { row: MetricRow }) {
  if (row.low == null || row.high == null || row.difference == null) return null;
  const reach = Math.max(Math.abs(row.low), Math.abs(row.high)) * 1.1 || 1;
  const x = (value: number) => 60 + (56 * value) / reach;
  return (
    <svg className="interval" viewBox="0 0 120 16" width="120" height="16" aria-hidden="true">
      <line className="grid" x1={60} x2={60} y1={1} y2={15} /><line className="reach" x1={x(row.low)} x2={x(row.high)} y1={8} y2={8} /><circle className="middle" cx={x(row.difference)} cy={8} r={3} />
    </svg>
  );
}

function Side({ title, part }: { title: string; part: DiffSide | null }) {
  return <div><h3>{title}</h3><p className="told">{part?.text ?? "nothing"}{part?.cause ? <span className="cause"> {part.cause}</span> : null}</p></div>;
}

function Differing({ title, what, found, a, b }: { title: string; what: string; found: Overlap; a: string; b: string }) {
  const sides = [[a, found.a, found.only_a], [b, found.b, found.only_b]] as const;
  return (
    <section className="card" aria-label={title}><h2>{title}</h2>
      <p className="faint">{count(found.same)} {what} are the same in both.</p>
      <div className="pair">{sides.map(([name, all, only]) => (
        <div key={name}><h3>{name}: {count(all - found.same)} of {count(all)} {what} only here</h3>
          {only.length ? <ul className="plain small">{only.slice(0, 12).map((one, at) => (
            <li key={at} className="line"><span className="faint">round {one.round}</span> <span className="strong">{one.name}</span> {one.text}</li>))}</ul> : <p className="faint small">None.</p>}</div>))}</div>
    </section>
  );
}
