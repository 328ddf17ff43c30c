// Two runs side by side: paired differences, the first decision that differs, picks and chats.

import { useMemo, useState } from "react";
import { LineChart } from "../charts/Lines";
import { said, useAsked, useEvery } from "../fold/store";
import { measure, signed } from "../parts/format";
import { address, go } from "../parts/route";
import { Empty, Problem, StateMark } from "../parts/ui";
import { get, query, runPath, send } from "../wire/api";
import type { Comparison, Count, Line, MetricRow, Metrics, RunRow } from "../wire/types";

export function CompareScreen({ a, b }: { a: string; b: string }) {
  const runs = useAsked((signal) => get<RunRow[]>("/runs", signal), "runs");
  const rows = runs.value ?? [];
  const pair = [a, b].map((id) => rows.find((one) => one.id === id));
  const isGoing = pair.some((one) => one?.state === "running" || one?.state === "elsewhere");
  useEvery(isGoing ? 1500 : 6000, runs.again);
  const choose = (side: "a" | "b", id: string) => go({ screen: "compare", a: side === "a" ? id : a, b: side === "b" ? id : b });
  const sign = pair.map((one) => `${one?.round ?? 0}${one?.state ?? ""}`).join(" ");
  return (
    <div className="page wide">
      <div className="page-head"><div><h1>Compare</h1><p className="faint">Two runs that began alike. Differences are paired, person by person, with 95 % intervals.</p></div></div>
      <div className="pair">{(["a", "b"] as const).map((side, at) => (
        <div key={side} className={`card side-${side}`}><label htmlFor={`side-${side}`}>{at ? "and" : "Compare"}</label>
          <select id={`side-${side}`} value={side === "a" ? a : b} onChange={(event) => choose(side, event.target.value)}>
            <option value="">Choose a run …</option>{rows.map((one) => <option key={one.id} value={one.id}>{one.id} · round {one.round}</option>)}</select>
          {pair[at] ? <RunLine row={pair[at]} again={runs.again} /> : null}</div>))}</div>
      <Problem again={runs.again}>{runs.problem}</Problem>
      {a && b ? <Both a={a} b={b} sign={sign} /> : <Empty title="Choose two runs">A run and a branch of it, or two arms of an experiment with the same seed.</Empty>}
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

function Both({ a, b, sign }: { a: string; b: string; sign: string }) {
  const asked = useAsked((signal) => get<Comparison>(`/compare${query({ a, b })}`, signal), `${a} ${b} ${sign}`);
  const [kept, setKept] = useState<Comparison | null>(null);
  if (asked.value && asked.value !== kept) setKept(asked.value);
  const found = asked.value ?? kept;
  if (asked.problem) return <Problem again={asked.again}>{asked.problem}</Problem>;
  if (!found) return <p className="faint">Comparing …</p>;
  return (
    <>
      <First found={found} a={a} b={b} />
      <Curves a={a} b={b} sign={sign} rows={found.metrics} />
      <section className="card" aria-label="Metrics"><h2>Metrics</h2><Table rows={found.metrics} a={a} b={b} /></section>
      <section className="card" aria-label="Picks"><h2>Most picked</h2><div className="pair"><Picks title={a} rows={found.picks.a} others={found.picks.b} /><Picks title={b} rows={found.picks.b} others={found.picks.a} /></div></section>
      <section className="card" aria-label="Chats"><h2>Conversations</h2><div className="pair"><Chats title={a} rows={found.chats.a} /><Chats title={b} rows={found.chats.b} /></div></section>
    </>
  );
}

function First({ found, a, b }: { found: Comparison; a: string; b: string }) {
  const first = found.first_difference;
  return (
    <section className="card first" aria-label="First difference"><h2>The first decision that differs</h2>
      {first ? (
        <>
          <p>Round {first.round}{first.agent >= 0 ? <>, <span className="strong">{first.name ?? `person ${first.agent}`}</span> (person {first.agent})</> : null}</p>
          <div className="pair"><div><h3>{a}</h3><p className="told">{first.a || "nothing"}</p></div><div><h3>{b}</h3><p className="told">{first.b || "nothing"}</p></div></div>
        </>
      ) : <p className="good">None: so far both are the same, byte for byte.</p>}
    </section>
  );
}

const CURVES = ["satisfaction", "picks", "entropy_consumption", "gini", "rating_mean", "return_rate"];

function Curves({ a, b, sign, rows }: { a: string; b: string; sign: string; rows: MetricRow[] }) {
  const one = useAsked((signal) => get<Metrics>(`${runPath(a)}/metrics`, signal), `${a} ${sign}`).value;
  const two = useAsked((signal) => get<Metrics>(`${runPath(b)}/metrics`, signal), `${b} ${sign}`).value;
  const charts = useMemo(() => {
    if (!one || !two) return [];
    const points = (from: Metrics, name: string) => from.rounds.map((row) => [row.round, row.values[name] ?? null] as [number, number | null]);
    return CURVES.filter((name) => one.rounds.some((row) => row.values[name] != null)).map((name) => ({
      name, label: one.labels[name]?.[0] ?? name, unit: one.labels[name]?.[1],
      series: [{ name: a, colour: "var(--side-a)", points: points(one, name) }, { name: b, colour: "var(--side-b)", points: points(two, name) }],
    }));
  }, [one, two, a, b, rows]);
  if (!charts.length) return null;
  return <section className="card" aria-label="Round by round"><h2>Round by round</h2><div className="charts">{charts.map(({ name, ...rest }) => <LineChart key={name} title={rest.label} unit={rest.unit} series={rest.series} />)}</div></section>;
}

function Table({ rows, a, b }: { rows: MetricRow[]; a: string; b: string }) {
  if (!rows.length) return <p className="faint">Nothing to compare yet: one round must be complete in both.</p>;
  const sorted = [...rows].sort((one, two) => Number(isClear(two)) - Number(isClear(one)));
  return (
    <div className="table-box"><table><thead><tr><th scope="col">Metric</th><th scope="col" className="number">{a}</th><th scope="col" className="number">{b}</th><th scope="col" className="number">Difference</th><th scope="col" className="number">95 % interval</th><th scope="col">Interval</th></tr></thead>
      <tbody>{sorted.map((one) => (
        <tr key={one.name} className={isClear(one) ? `clear ${verdict(one)}` : ""}><th scope="row">{one.label} {one.unit ? <span className="faint small">{one.unit}</span> : null}</th>
          <td className="number">{measure(one.a)}</td><td className="number">{measure(one.b)}</td><td className="number difference">{signed(one.difference)}</td>
          <td className="number faint">{one.low == null || one.high == null ? "–" : `${signed(one.low)} to ${signed(one.high)}`}</td><td><Interval row={one} /></td></tr>))}</tbody></table></div>
  );
}

const isClear = (row: MetricRow): boolean => row.low != null && row.high != null && (row.low > 0 || row.high < 0);

function verdict(row: MetricRow): string {
  if (!row.better || !row.difference) return "";
  return (row.better === "higher") === row.difference > 0 ? "better" : "worse";
}

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

function Picks({ title, rows, others }: { title: string; rows: Count[]; others: Count[] }) {
  const theirs = new Set(others.map((one) => one.item));
  return (
    <div><h3>{title}</h3>{rows.length ? <ol className="popular compact">{rows.slice(0, 10).map((one) => (
      <li key={one.item}><span className="cut">{one.title}{theirs.has(one.item) ? "" : <span className="tag pending">only here</span>}</span><span className="number small">{measure(one.count)}</span></li>))}</ol> : <p className="faint small">Nothing was picked.</p>}</div>
  );
}

function Chats({ title, rows }: { title: string; rows: Line[] }) {
  return (
    <div><h3>{title}</h3>{rows.length ? <ul className="plain small">{rows.slice(0, 12).map((one, at) => (
      <li key={at} className="line"><span className="faint">round {one.round}</span> <span className="strong">{one.name}</span> to {one.to_name}: <q>{one.text}</q></li>))}</ul> : <p className="faint small">Nobody talked.</p>}</div>
  );
}
