// What matters first: what came of visits, how satisfied people are, what is shown and taken; live, or of an earlier round.

import { useEffect, useRef } from "react";
import { BarChart } from "../charts/Bars";
import { useAsked, useFeed } from "../fold/store";
import { useHere } from "../parts/context";
import { count, measure, percent } from "../parts/format";
import { address, useParam } from "../parts/route";
import { WordTip } from "../parts/Tip";
import { Empty, Problem, Tabs } from "../parts/ui";
import { get, query, runPath } from "../wire/api";
import type { Funnel, HeatRow, OverviewAnswer } from "../wire/types";

const SOON = 1000;

/** The newest answer; while the run goes on it is asked for again, at most once a second. */
function useOverview(): { found: OverviewAnswer | null; problem: string; again: () => void } {
  const { feed, at } = useHere();
  useFeed(feed, 1);
  const path = `${runPath(feed.id)}/overview${query({ at })}`;
  const asked = useAsked((signal) => get<OverviewAnswer>(path, signal), path);
  const { again, busy, value } = asked;
  const sign = at === null ? `${feed.live.after} ${feed.control?.state}` : "";
  const last = useRef("");
  const isReading = Boolean(value && value.progress < 1);
  useEffect(() => {
    if (busy || (!isReading && last.current === sign)) return;
    const timer = window.setTimeout(() => { last.current = sign; again(); }, isReading ? 0 : SOON);
    return () => window.clearTimeout(timer);
  }, [sign, busy, isReading, again, value]);
  const kept = useRef<OverviewAnswer | null>(null);
  if (value) kept.current = value;
  return { found: value ?? kept.current, problem: asked.problem, again };
}

export function Overview() {
  const { found, problem, again } = useOverview();
  const { feed } = useHere();
  if (problem && !found) return <div className="pad"><Problem again={again}>{problem}</Problem></div>;
  if (!found) return <p className="faint pad" role="status">Reading the run …</p>;
  if (found.progress < 1) return <p className="pad inline" role="status"><progress max={1} value={found.progress} aria-label="Reading the run" /> <span className="faint">Reading the run …</span></p>;
  if (!found.so_far.visits) {
    return <div className="pad"><Empty title="Nobody has come yet">{feed.control?.state === "paused" ? "Press Play to let the first round begin." : "The numbers appear with the first visits."}</Empty></div>;
  }
  return (
    <div className="overview">
      <Problem again={again}>{problem}</Problem>
      <section aria-label="Funnel"><div className="row-between"><h3>What came of visits<WordTip of="What came of visits" /></h3><span className="faint small">share of visits</span></div>
        <div className="funnels"><Steps title={`Round ${found.round}`} of={found.now} round={found.round} /><Steps title={found.round > 1 ? `Rounds 1 to ${found.round}` : "The run so far"} of={found.so_far} /></div></section>
      <Distribution found={found} />
      <Heat found={found} />
    </div>
  );
}

function Steps({ title, of, round }: { title: string; of: Funnel; round?: number }) {
  const { feed } = useHere();
  const steps: [string, number, number, string][] = [
    ["Came", of.visits, of.visits, ""], ["Shown", of.shown, of.visits, `${count(of.items_shown)} items shown`],
    ["Picked", of.picked, of.visits, `${count(of.picks)} picks`], ["Rated", of.rated, of.visits, `${count(of.ratings)} ratings`],
    ["Returned", of.returned, of.known, of.known ? (of.known === of.visits ? "came in the next round too" : `of ${count(of.known)} visits with a next round`) : "known after the next round"],
  ];
  return (
    <div className="funnel"><h4>{title} {round && of.visits ? <a className="small" href={address({ screen: "run", id: feed.id, tab: "people", chosen: { round, only: "came" } })}>who came</a> : null}</h4>
      <ol>{steps.map(([name, value, whole, told]) => (
        <li key={name}><span className="step">{name}</span>
          <span className="step-bar" aria-hidden="true"><span style={{ width: `${whole ? (100 * value) / whole : 0}%` }} /></span>
          <span className="number nowrap"><b>{whole ? count(value) : "–"}</b>{whole && name !== "Came" ? ` ${percent(value / whole)}` : ""}</span>
          {told ? <span className="faint small step-told">{told}</span> : null}</li>))}</ol></div>
  );
}

function Distribution({ found }: { found: OverviewAnswer }) {
  const bars = found.satisfaction.map((value, at) => ({ name: `${(at / 10).toFixed(1)}`, value }));
  return (
    <section aria-label="Satisfaction">
      <BarChart about={<WordTip of="Satisfaction" />} title={`Satisfaction of people after round ${found.round}, mean ${measure(found.mean)}`} place="satisfaction, from this value to 0.1 above" unit="people who told it at least once" bars={bars} nothing="Nobody has left a visit yet." />
    </section>
  );
}

function Heat({ found }: { found: OverviewAnswer }) {
  const [what, setWhat] = useParam<"genres" | "items">("heat", "genres");
  const [of, setOf] = useParam<"picked" | "shown">("of", "picked");
  const rows = found[what];
  const most = Math.max(...rows.flatMap((row) => row[of].map((one) => one ?? 0)), 1e-9);
  return (
    <section aria-label="Item heat">
      <div className="row-between"><h3>{of === "picked" ? "What is picked" : "What is shown"}, by round<WordTip of="Item heat" /></h3>
        <div className="tools"><Tabs label="Rows" chosen={what} choose={setWhat} choices={[{ is: "genres", name: "Genres" }, { is: "items", name: "Items" }]} />
          <Tabs label="Counted" chosen={of} choose={setOf} choices={[{ is: "picked", name: "Picked" }, { is: "shown", name: "Shown" }]} /></div></div>
      <div className="table-box"><table className="heat"><thead><tr><th scope="col">{what === "genres" ? "Genre" : "Item"}</th>
        {found.spans.map(([first, last]) => <th key={first} scope="col" className="number">{first === last ? first : `${first}–${last}`}</th>)}</tr></thead>
        <tbody>{rows.map((row) => <HeatLine key={`${row.item} ${row.name}`} row={row} of={of} most={most} />)}</tbody></table></div>
      <p className="hint">Each cell: % of all {of === "picked" ? "picks" : "items shown"} in {found.spans.some(([first, last]) => first !== last) ? "those rounds" : "that round"}. {what === "genres" ? "An item may have several genres, so columns can add up to more than 100." : "The ten items picked most often."}</p>
    </section>
  );
}

function HeatLine({ row, of, most }: { row: HeatRow; of: "picked" | "shown"; most: number }) {
  return (
    <tr><th scope="row"><span className="cut" title={row.name}>{row.name}</span></th>
      {row[of].map((share, at) => {
        const heat = { "--share": share === null ? 0 : share / most } as React.CSSProperties;
        return <td key={at} className="number" style={heat}>{share === null ? "–" : short(share)}</td>;
      })}</tr>
  );
}

/** A share in % with two figures. */
const short = (share: number): string => { const value = share * 100; return value >= 10 || value === 0 ? value.toFixed(0) : value.toFixed(1); };
