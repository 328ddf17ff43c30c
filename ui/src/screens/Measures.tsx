// Measures: every metric round by round as it comes, ratings, popularity, entropy, segments; to take away.

import { useCallback, useEffect, useMemo, useState } from "react";
import { BarChart } from "../charts/Bars";
import { LineChart, type Series } from "../charts/Lines";
import { useAsked, useFeed } from "../fold/store";
import { useHere } from "../parts/context";
import { count, measure } from "../parts/format";
import { go, useParam } from "../parts/route";
import { ApiLink } from "../parts/ApiLink";
import { MetricTip, WordTip } from "../parts/Tip";
import { Empty, Problem } from "../parts/ui";
import { get, runPath } from "../wire/api";
import type { Metrics, SummaryRow, Values } from "../wire/types";

const GROUPS: [string, string[]][] = [
  ["Visits and retention", ["satisfaction", "visits", "return_rate", "retention", "exit_page", "watch_hours", "watch_minutes", "minutes_per_visit", "completion"]],
  ["Choices", ["picks", "click_rate", "pick_rate", "pages", "shown"]],
  ["Ratings", ["rating_mean", "ratings", "rating_1", "rating_2", "rating_3", "rating_4", "rating_5"]],
  ["Variety", ["entropy_exposure", "entropy_consumption", "entropy_taste", "entropy_exposure_pooled", "entropy_consumption_pooled", "gini", "coverage_exposure", "coverage_consumption", "repeated_exposure"]],
  ["Talk", ["posts", "forwards", "lines", "chats", "delivered", "spoken_model", "spoken_template", "spoken_human"]],
  ["Spread", ["reach", "emotion", "emotion_words", "attitude", "told", "cascades", "cascade_scale", "cascade_depth", "cascade_breadth"]],
  ["Memory", ["remembered", "faded_at_once", "enhanced", "settled", "reflected", "merged", "forgotten", "recalled", "recall_cut", "thoughts", "memory_failed"]],
  ["Failures", ["refused", "failed"]],
];

const ENTROPY: [string, string, string][] = [["entropy_exposure", "shown", "var(--group-0)"], ["entropy_consumption", "taken up", "var(--group-1)"], ["entropy_taste", "taste", "var(--group-2)"]];

const ENTROPY_TIP = <WordTip of="Genre entropy by round" />;

type Rounds = { round: number; values: Values }[];

/** The server's rounds with what came over the stream since. */
export function merged(rounds: Rounds, news: Map<number, Values>, upto: number | null): Rounds {
  const all = new Map(rounds.map((one) => [one.round, one.values]));
  for (const [round, values] of news) all.set(round, { ...all.get(round), ...values });
  return [...all].filter(([round]) => upto === null || round <= upto).sort(([a], [b]) => a - b).map(([round, values]) => ({ round, values }));
}

export function grouped(names: string[]): [string, string[]][] {
  const known = new Set(GROUPS.flatMap(([, mine]) => mine));
  const rest = names.filter((name) => !known.has(name));
  const found: [string, string[]][] = GROUPS.map(([title, mine]) => [title, mine.filter((name) => names.includes(name))]);
  return [...found, ["More", rest] as [string, string[]]].filter(([, mine]) => mine.length);
}

export function MeasuresTab() {
  const { feed, at } = useHere();
  useFeed(feed, 2);
  const asked = useAsked((signal) => get<Metrics>(`${runPath(feed.id)}/metrics`, signal), feed.id);
  const again = asked.again;
  const round = feed.control?.round ?? 0;
  const state = feed.control?.state;
  const [asOf, setAsOf] = useState(-1);
  useEffect(() => {
    const timer = window.setTimeout(() => { setAsOf(round); again(); }, asOf < 0 ? 0 : 1500);
    return () => window.clearTimeout(timer);
  }, [round, state, again]);
  const metrics = asked.value;
  const size = feed.measured.size;
  const rounds = useMemo(() => merged((metrics?.rounds ?? []).map((values) => ({ round: Number(values["round"]), values })), feed.measured, at), [metrics, size, at, feed]);
  if (asked.problem && !metrics) return <div className="pad"><Problem again={again}>{asked.problem}</Problem></div>;
  if (!metrics) return <p className="faint pad">Measuring …</p>;
  if (!rounds.length) return <div className="pad"><Empty title="Nothing to measure yet">Metrics appear after the first round.</Empty></div>;
  return <Whole metrics={metrics} rounds={rounds} />;
}

function Whole({ metrics, rounds }: { metrics: Metrics; rounds: Rounds }) {
  const { feed } = useHere();
  const names = useMemo(() => [...new Set(rounds.flatMap((one) => Object.keys(one.values)))].filter((name) => name !== "round"), [rounds]);
  const isFlat = (name: string) => rounds.every((one) => !one.values[name]);
  const base = runPath(feed.id);
  const flat = names.filter(isFlat);
  const curve = (name: string, told: string, colour: string): Series => ({ name: told, colour, points: rounds.map((one) => [one.round, one.values[name] ?? null]) });
  const curves = useMemo(() => new Map(names.map((name) => [name, [curve(name, "", "var(--accent)")]])), [names, rounds]);
  const entropy = useMemo(() => ENTROPY.map((one) => curve(...one)), [rounds]);
  const tips = useMemo(() => new Map(names.map((name) => [name, <MetricTip key={name} name={name} label={metrics.labels[name]?.label ?? name} unit={metrics.labels[name]?.round_unit} />])), [names, metrics.labels]);
  const openRound = useCallback((round: number) => go({ screen: "run", id: feed.id, tab: "people", chosen: { round, only: "came" } }), [feed.id]);
  return (
    <div className="measures">
      <div className="page-head slim"><h2>Measures</h2>
        <div className="tools"><ApiLink className="button" path={`${base}/metrics.csv`}>CSV</ApiLink><ApiLink className="button" path={`${base}/report`}>Report<span aria-hidden="true"> ↗</span></ApiLink></div></div>
      <section aria-label="Overview" className="charts">
        <BarChart title="Ratings given" about={<WordTip of="Ratings given" />} place="stars" unit="ratings" nothing="Nobody has rated anything in this run." bars={metrics.histogram.map((value, at) => ({ name: `${at + 1}★`, value }))} />
        <BarChart title="Popularity" about={<WordTip of="Popularity" />} place="rank of the item" unit="picks" nothing="Nothing was picked in this run." isCurve bars={metrics.popularity.curve.map(([place, value]) => ({ name: `${place}`, value }))} />
        <LineChart title="Genre entropy by round" about={ENTROPY_TIP} unit="bits, mean over people" series={entropy} pick={openRound} />
        <Popular />
      </section>
      <Summary rows={metrics.summary} />
      <div><h2>Round by round</h2><p className="hint">Click a point, or choose it with the arrow keys and press Enter, to see the people of that round.</p></div>
      {grouped(names.filter((name) => !isFlat(name))).map(([title, mine]) => (
        <section key={title} aria-label={title}><h3>{title}</h3>
          <div className="charts">{mine.map((name) => {
            const { label, round_unit } = metrics.labels[name] ?? { label: name, round_unit: "" };
            return <LineChart key={name} title={`${label} by round`} about={tips.get(name)} unit={round_unit} series={curves.get(name) ?? []} pick={openRound} />;
          })}</div></section>
      ))}
      <Segments metrics={metrics} />
      {flat.length ? <p className="faint small">Always zero: {flat.map((name) => metrics.labels[name]?.label ?? name).join(", ")}.</p> : null}
    </div>
  );
}

/** The run so far in the numbers of its report. */
function Summary({ rows }: { rows: SummaryRow[] }) {
  const known = rows.filter((row) => row.mean != null);
  if (!known.length) return null;
  return (
    <section aria-label="Run so far"><h3>The run so far</h3>
      <div className="table-box"><table><thead><tr><th scope="col">Metric</th><th scope="col">Unit</th><th scope="col">Mean over</th><th scope="col" className="number">Value</th><th scope="col" className="number">95 % interval<WordTip of="interval" /></th></tr></thead>
        <tbody>{known.map((row) => (
          <tr key={row.name}><th scope="row">{row.label}<MetricTip name={row.name} label={row.label} unit={row.unit} over={row.over} /></th><td>{row.unit}</td><td>{row.over}</td><td className="number">{measure(row.mean)}</td>
            <td className="number faint">{row.low == null || row.high == null ? "" : `${measure(row.low)} to ${measure(row.high)}`}</td></tr>))}</tbody></table></div>
    </section>
  );
}

function Popular() {
  const { feed } = useHere();
  const items = feed.panel?.most_popular ?? [];
  return (
    <figure className="chart"><figcaption><span className="chart-title">Most popular items<WordTip of="Most popular items" /></span></figcaption>
      {items.length ? <ol className="popular compact">{items.slice(0, 5).map((one) => <li key={one.item}><span className="cut">{one.title}</span><span className="number small">{count(one.count)}</span></li>)}</ol> : <p className="faint small">Nothing was picked yet.</p>}
    </figure>
  );
}

const SEGMENT_METRICS = ["visits", "picks", "satisfaction", "rating_mean", "click_rate", "minutes_per_visit"];

function Segments({ metrics }: { metrics: Metrics }) {
  const kinds = Object.keys(metrics.segments).filter((kind) => metrics.segments[kind]?.length);
  const [chosen, setChosen] = useParam("by", "interest");
  const rows = metrics.segments[chosen] ?? metrics.segments[kinds[0] ?? ""] ?? [];
  if (!rows.length) return null;
  const all = [...new Set(rows.flatMap((one) => Object.keys(one.values)))];
  const preferred = SEGMENT_METRICS.filter((name) => all.includes(name));
  const names = [...preferred, ...all.filter((name) => !preferred.includes(name))].slice(0, 7);
  return (
    <section aria-label="Segments"><div className="row-between"><h3>Segments, mean over people</h3>
      <label className="small">By <select value={chosen} onChange={(event) => setChosen(event.target.value)}>{kinds.map((kind) => <option key={kind}>{kind}</option>)}</select></label></div>
      <div className="table-box"><table><thead><tr><th scope="col">Segment<WordTip of="segment" /></th><th scope="col" className="number">People</th>
        {names.map((name) => <th key={name} scope="col" className="number">{metrics.labels[name]?.label ?? name}<MetricTip name={name} label={metrics.labels[name]?.label ?? name} over="people" /> <span className="faint small">{metrics.labels[name]?.unit || "per person"}</span></th>)}</tr></thead>
        <tbody>{rows.map((one) => (
          <tr key={one.segment}><th scope="row">{one.segment}</th><td className="number">{count(one.people)}</td>{names.map((name) => <td key={name} className="number">{measure(one.values[name])}</td>)}</tr>))}</tbody></table></div>
    </section>
  );
}
