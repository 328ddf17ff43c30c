// An experiment, arms by seeds, as one thing: how far it is, its verdict, what it rests on, its report.

import { useMemo, useState } from "react";
import { LineChart, type Series } from "../charts/Lines";
import { useAsked, useEvery } from "../fold/store";
import { ApiLink } from "../parts/ApiLink";
import { measure, signed } from "../parts/format";
import { address, useNumber, useParam } from "../parts/route";
import { MetricTip, WordTip } from "../parts/Tip";
import { Empty, Problem, Sheet, StateMark, Tabs } from "../parts/ui";
import { experimentPath, get, needsTickets } from "../wire/api";
import type { Experiment, ExperimentRun, Found, RunState } from "../wire/types";

const OFTEN = 1500;
const colour = (arm: number): string => `var(--group-${arm % 7})`;

type View = "findings" | "segments" | "report" | "scenario";

export function ExperimentScreen({ id }: { id: string }) {
  const asked = useAsked((signal) => get<Experiment>(experimentPath(id), signal), id);
  const found = asked.value;
  // Also one that has stopped or failed may be taken up again, here or at a terminal.
  useEvery(found && found.state !== "finished" ? OFTEN : null, asked.again);
  const [view, setView] = useParam<View>("show", "findings");
  if (asked.problem && !found) return <div className="page"><Problem again={asked.again}>{asked.problem}</Problem><p><a href="#/">All runs</a></p></div>;
  if (!found) return <div className="page"><p className="faint" role="status">Reading the runs of {id} …</p></div>;
  return (
    <div className="page wide experiment">
      <div className="page-head"><div><h1>{found.title}</h1><p className="faint">{id} · {found.arms.length} arms, {found.seeds} seed{found.seeds > 1 ? "s" : ""}</p></div>
        <div className="tools"><StateMark state={found.state as RunState | "trying"} />
          <a className="button" href={address({ screen: "new", chosen: { like: id } })}>Clone with changes</a>
          {found.findings ? <ApiLink className="button" path={`${experimentPath(id)}/report`}>Report<span aria-hidden="true"> ↗</span></ApiLink> : null}</div></div>
      <Problem>{asked.problem}</Problem>
      {found.findings ? <Verdict found={found} shown={found.findings} /> : null}
      <Runs found={found} />
      {found.findings ? (
        <>
          <Tabs label="What to see" chosen={view} choose={setView} choices={[
            { is: "findings", name: "Findings" }, { is: "segments", name: "Segments" }, { is: "report", name: "Report" }, { is: "scenario", name: "Scenario" }]} />
          {view === "findings" ? <Findings found={found} shown={found.findings} /> : null}
          {view === "segments" ? <Segments found={found} shown={found.findings} /> : null}
          {view === "report" ? <Report id={id} /> : null}
        </>
      ) : <Empty title="No verdict yet">It is drawn when every run has reached its last round.</Empty>}
      {view === "scenario" || !found.findings ? <pre className="card code-box">{found.scenario}</pre> : null}
    </div>
  );
}

function Verdict({ found, shown }: { found: Experiment; shown: Found }) {
  return (
    <section className="card" aria-label="Verdict"><h2>Verdict</h2>
      <p className="verdict">{shown.verdict}</p>
      {shown.notes.map((note) => <p key={note} className="faint">{note}</p>)}
      {found.state === "trying" ? <p className="faint" role="status">Other audiences are being tried; the verdict will say whether it holds before them.</p> : null}
    </section>
  );
}

function Runs({ found }: { found: Experiment }) {
  const of = (arm: string) => found.runs.filter((run) => run.arm === arm);
  const broken = found.runs.filter((run) => run.error);
  return (
    <section className="card" aria-label="Runs"><div className="row-between"><h2>Runs<WordTip of="seed" /></h2><span className="faint small">{found.done} of {found.all} finished</span></div>
      <progress className="progress" max={found.all} value={progress(found.runs)} aria-label={`${found.done} of ${found.all} runs finished`} />
      <div className="table-box"><table><thead><tr><th scope="col">Arm<WordTip of="arm" /></th>{of(found.arms[0] ?? "").map((run) => <th key={run.seed} scope="col">Seed {run.seed}</th>)}</tr></thead>
        <tbody>{found.arms.map((arm, at) => (
          <tr key={arm}><th scope="row"><i className="dot" style={{ background: colour(at) }} aria-hidden="true" />{arm}</th>{of(arm).map((run) => <td key={run.seed}><RunCell run={run} /></td>)}</tr>))}</tbody></table></div>
      {broken.map((run) => <Problem key={`${run.arm} ${run.seed}`}>{`${run.arm}, seed ${run.seed}: ${run.error}`}</Problem>)}
    </section>
  );
}

const progress = (runs: ExperimentRun[]): number => runs.reduce((sum, run) => sum + (run.rounds ? run.round / run.rounds : 0), 0);

function RunCell({ run }: { run: ExperimentRun }) {
  if (!run.id) return <span className="faint small">not begun</span>;
  const told = run.state === "finished" ? "finished" : `round ${run.round} of ${run.rounds}`;
  return <a className="small nowrap" href={address({ screen: "run", id: run.id, tab: "watch" })} title={run.id}>{run.state === "finished" ? "✓ " : ""}{told}</a>;
}

function Findings({ found, shown }: { found: Experiment; shown: Found }) {
  const [all, setAll] = useState(false);
  const lines = useMemo(() => {
    const first = new Map(shown.first.map((name, at) => [name, at]));
    const chosen = all ? shown.lines : shown.lines.filter((line) => first.has(line.metric));
    return [...chosen].sort((a, b) => (first.get(a.metric) ?? 99) - (first.get(b.metric) ?? 99));
  }, [shown, all]);
  const others = found.arms.slice(1);
  const reach = reachOf(lines.flatMap((line) => line.contrasts.flatMap((one) => [one.percent_low, one.percent_high])));
  return (
    <>
      <section className="card" aria-label="Differences">
        <div className="row-between"><h2>{others.length ? `Differences from ${found.arms[0]}` : "Numbers"}<WordTip of="interval" /></h2>
          <label className="check small"><input type="checkbox" checked={all} onChange={(event) => setAll(event.target.checked)} /> All metrics</label></div>
        <div className="table-box"><table className="forest"><thead><tr><th scope="col">Metric</th>{found.arms.map((arm) => <th key={arm} scope="col" className="number">{arm}</th>)}
          {others.map((arm) => <th key={arm} scope="col">{arm} − {found.arms[0]}<ForestAxis reach={reach} reference={found.arms[0] ?? ""} /></th>)}</tr></thead>
          <tbody>{lines.map((line) => (
            <tr key={line.metric}><th scope="row">{line.label}<MetricTip name={line.metric} label={line.label} unit={line.unit} over="people and seeds" /> {line.unit ? <span className="faint small">{line.unit}</span> : null}</th>
              {line.cells.map((cell) => <td key={cell.arm} className="number" title={cell.low == null ? "" : `95 % interval ${measure(cell.low)} to ${measure(cell.high)}`}>{measure(cell.mean)}</td>)}
              {others.map((arm, at) => {
                const one = line.contrasts.find((each) => each.other === arm);
                return <td key={arm} className={one && one.judgement !== "unclear" && one.judgement ? `clear ${one.judgement}` : ""}>{one ? <Forest one={one} reach={reach} colour={colour(at + 1)} /> : null}</td>;
              })}</tr>))}</tbody></table></div>
        <p className="hint">Paired<WordTip of="paired" /> differences with their 95 % interval over {found.seeds > 1 ? "seeds" : "people"}. An arrow: the interval goes on beyond the scale. Bold: clear<WordTip of="clear" /> after Holm's correction; green is better, red is worse.</p>
      </section>
      <Curves found={found} shown={shown} />
    </>
  );
}

/** The curves of all arms; a point opens its round in any of the runs behind it. */
function Curves({ found, shown }: { found: Experiment; shown: Found }) {
  const [round, setRound] = useNumber("round");
  const curves = useMemo(() => shown.curves.map((curve) => ({
    ...curve,
    about: <MetricTip name={curve.metric} label={curve.label} unit={curve.unit} />,
    series: curve.arms.map((one, at): Series => ({ name: one.arm, colour: colour(at), points: one.points.map(([x, y]) => [x, y]), band: one.points.map(([x, , low, high]) => [x, low, high]) })),
  })), [shown]);
  return (
    <section aria-label="Round by round"><h2>Round by round</h2>
      <p className="hint">Mean over seeds; the shade is its 95 % interval. Click a point, or choose it with the arrow keys and press Enter, to see the people of that round.</p>
      <div className="charts">{curves.map((curve) => <LineChart key={curve.metric} title={`${curve.label} by round`} about={curve.about} unit={curve.unit} series={curve.series} pick={setRound} />)}</div>
      {round !== null ? <RoundSheet found={found} round={round} close={() => setRound(null)} /> : null}
    </section>
  );
}

function RoundSheet({ found, round, close }: { found: Experiment; round: number; close: () => void }) {
  return (
    <Sheet title={`Round ${round}: in which run?`} close={close}>
      <p className="faint">A point of the curve is a mean over these runs. Open the people of round {round} in one of them.</p>
      <div className="table-box"><table><tbody>{found.arms.map((arm, at) => (
        <tr key={arm}><th scope="row"><i className="dot" style={{ background: colour(at) }} aria-hidden="true" />{arm}</th>
          {found.runs.filter((run) => run.arm === arm && run.id).map((run) => (
            <td key={run.seed}><a href={address({ screen: "run", id: run.id, tab: "people", chosen: { round, only: "came" } })}>seed {run.seed}</a></td>))}</tr>))}</tbody></table></div>
    </Sheet>
  );
}

type Contrast = Found["lines"][number]["contrasts"][number];

/** How far the scale of a forest plot goes: few very wide intervals are cut, so that the others can be seen. */
function reachOf(ends: (number | null)[]): number {
  const sizes = ends.flatMap((end) => (end == null ? [] : [Math.abs(end)])).sort((a, b) => a - b);
  return Math.max(10, Math.min(sizes[sizes.length - 1] ?? 0, 1.5 * (sizes[Math.floor(sizes.length * 0.8)] ?? 0)));
}

/** One row of a forest plot; all rows share their scale. */
function Forest({ one, reach, colour: tone }: { one: Contrast; reach: number; colour: string }) {
  if (one.percent == null || one.percent_low == null || one.percent_high == null) return <span className="faint">{signed(one.difference)}</span>;
  const x = (value: number) => 90 + (84 * Math.max(-reach, Math.min(reach, value))) / reach;
  const beyond = one.percent_high > reach ? 1 : one.percent_low < -reach ? -1 : 0;
  const told = `${signed(one.percent)} % [${signed(one.percent_low)}, ${signed(one.percent_high)}]`;
  return (
    <span className="forest-cell"><svg className="interval" viewBox="0 0 180 16" width="180" height="16" role="img" aria-label={told}>
      <line className="grid" x1={90} x2={90} y1={0} y2={16} /><line className="reach" x1={x(one.percent_low)} x2={x(one.percent_high)} y1={8} y2={8} style={{ stroke: tone }} />{Math.abs(one.percent) <= reach ? <circle className="middle" cx={x(one.percent)} cy={8} r={3} /> : null}
      {beyond ? <path className="middle" d={`M${90 + beyond * 84} 4l${beyond * 6} 4l${-beyond * 6} 4Z`} /> : null}
    </svg><span className="difference small nowrap">{told}</span></span>
  );
}

/** The scale that all rows of a forest plot share. */
function ForestAxis({ reach, reference }: { reach: number; reference: string }) {
  const end = Math.floor(reach);
  return (
    <span className="forest-axis"><svg viewBox="0 0 180 17" width="180" height="17" role="img" aria-label={`Axis from −${end} % to +${end} %, 0 in the middle`}>
      {[-end, 0, end].map((value) => <text key={value} className="tick" x={90 + (84 * value) / reach} y={10} textAnchor={value < 0 ? "start" : value ? "end" : "middle"}>{value > 0 ? "+" : value < 0 ? "−" : ""}{Math.abs(value)} %</text>)}
      <line className="grid strong" x1={6} x2={174} y1={15.5} y2={15.5} />
    </svg><span className="faint small">change in % of {reference}</span></span>
  );
}

function Segments({ found, shown }: { found: Experiment; shown: Found }) {
  const kinds = [...new Set(shown.segments.map((one) => one.by))];
  const [by, setBy] = useParam("by", kinds.includes("interest") ? "interest" : kinds[0] ?? "");
  const rows = shown.segments.filter((one) => one.by === by);
  if (!kinds.length) return <Empty title="No segments">Nothing is known about these people that would divide them.</Empty>;
  return (
    <section className="card" aria-label="Segments"><div className="row-between"><h2>Satisfaction by segment</h2>
      <label className="small">By <select value={by} onChange={(event) => setBy(event.target.value)}>{kinds.map((kind) => <option key={kind}>{kind}</option>)}</select></label></div>
      <div className="table-box"><table><thead><tr><th scope="col">Segment<WordTip of="segment" /></th><th scope="col" className="number">People</th>{found.arms.map((arm) => <th key={arm} scope="col" className="number">{arm}</th>)}
        {found.arms.slice(1).map((arm) => <th key={arm} scope="col" className="number">{arm} − {found.arms[0]}</th>)}</tr></thead>
        <tbody>{rows.map((one) => (
          <tr key={one.segment}><th scope="row">{one.segment}</th><td className="number">{one.people}</td>{found.arms.map((arm) => <td key={arm} className="number">{measure(one.means[arm])}</td>)}
            {found.arms.slice(1).map((arm) => {
              const apart = one.differences[arm];
              return <td key={arm} className="number">{apart ? `${signed(apart.mean)} [${signed(apart.low)}, ${signed(apart.high)}]` : "–"}</td>;
            })}</tr>))}</tbody></table></div>
      <p className="hint">Means over seeds; differences are paired by seed, with 95 % intervals that are not corrected for the number of segments: one in twenty looks clear by chance.</p>
    </section>
  );
}

function Report({ id }: { id: string }) {
  if (needsTickets()) return <Empty title="Open it in a page of its own">Use Report above.</Empty>;
  return <iframe className="report-frame" title="Report" src={`/api${experimentPath(id)}/report`} sandbox="" />;
}
