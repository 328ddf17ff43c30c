// Everybody with what they did: sorted, filtered, and one click from a person's decisions.

import { useEffect } from "react";
import { useAsked, useFeed, useSettled } from "../fold/store";
import { useHere } from "../parts/context";
import { count, measure } from "../parts/format";
import { choose, useNumber, useParam } from "../parts/route";
import { Tip } from "../parts/Tip";
import { Bar, Empty, Problem } from "../parts/ui";
import { get, query, runPath } from "../wire/api";
import type { PeoplePage, PersonLine } from "../wire/types";

const PAGE = 50;
type Sort = "id" | "name" | "satisfaction" | "visits" | "picks" | "stars" | "last" | "failures" | "then";
type Column = [Sort, string, string];
const PERSON: Column = ["name", "Person", "Name, number, age and job"];
const ALWAYS: Column[] = [
  ["satisfaction", "Satisfaction", "How content they are now, 0 to 1: a moving average in which the newest visit counts half"],
  ["visits", "Visits", "How often they came"], ["picks", "Picks", "Items they took"], ["stars", "Stars", "Mean of the stars they gave, 1 to 5"],
  ["last", "Last visit", "The round in which they came last"], ["failures", "Failures", "Decisions that could not be made"],
];
const THEN: Column = ["then", "Satisfaction then", "How content they were with their visit in this round, 0 to 1"];
const ONLY: [string, string][] = [
  ["", "Everybody"], ["unhappy", "Satisfaction below 0.35"], ["happy", "Satisfaction above 0.65"], ["failed", "With failed decisions"],
  ["absent", "Not here for five rounds"], ["never", "Never came"],
];
const ofRound = (round: number): [string, string][] => [["came", `Came in round ${round}`], ["gone", `Came in round ${round}, not since`]];

export function PeopleTab() {
  const { feed, openPerson, at, travel } = useHere();
  useFeed(feed, 1);
  const [words] = useParam("words", "");
  const [wanted] = useParam("only", "");
  const isOfRound = wanted === "came" || wanted === "gone";
  const only = at === null && isOfRound ? "" : wanted;
  const [sorted] = useParam<Sort | "">("sort", "");
  const usual = at !== null && isOfRound ? "then" : "satisfaction";
  const sort = sorted === "" || (sorted === "then" && at === null) ? usual : sorted;
  const [order] = useParam("order", "up");
  const down = order === "down";
  const [from, setOffset] = useNumber("from");
  const offset = from ?? 0;
  const settled = useSettled(words.trim(), 200);
  const path = `${runPath(feed.id)}/people-table${query({ query: settled, only, sort, at, down: down ? "true" : "", offset, limit: PAGE })}`;
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
    choose({ sort: next === usual ? null : next, order: isDown ? "down" : null, from: null });
  };
  const columns = at === null ? [PERSON, ...ALWAYS] : [PERSON, THEN, ...ALWAYS];
  return (
    <section className="card stack" aria-label="People">
      <div className="row-between"><div><h2>{at === null ? "People" : `People and round ${at}`}</h2>
        {at !== null ? <p className="small">{isOfRound && found ? <>{count(found.total)} {wanted === "gone" ? "came and have not come since" : "came"}. </> : null}
          <button type="button" className="link" disabled={at <= 1} onClick={() => travel(at - 1)}>Round {at - 1}</button> · <button type="button" className="link" disabled={at >= round} onClick={() => travel(at + 1)}>Round {at + 1}</button> · <button type="button" className="link" onClick={() => choose({ round: null, only: isOfRound ? null : wanted, sort: null, from: null })}>All rounds</button></p> : null}</div>
        <div className="tools">
          <label className="hidden" htmlFor="people-words">Words</label>
          <input id="people-words" type="search" placeholder="Name, interest, job …" value={words} onChange={(event) => choose({ words: event.target.value, from: null }, "replace")} />
          <label className="small">Show <select value={only} onChange={(event) => choose({ only: event.target.value, from: null })}>{[...ONLY, ...(at === null ? [] : ofRound(at))].map(([is, name]) => <option key={is} value={is}>{name}</option>)}</select></label>
        </div></div>
      <Problem again={again}>{asked.problem}</Problem>
      {found && !found.total ? <Empty title="Nobody fits">Choose other words, or show everybody.</Empty> : null}
      {found?.total ? (
        <>
          <div className="table-box"><table><thead><tr>{columns.map(([is, name, told]) => (
            <th key={is} scope="col" className={is === "name" ? "" : "number"} aria-sort={sort === is ? (down ? "descending" : "ascending") : "none"} >
              <button type="button" className="link" onClick={() => by(is)}>{name}{sort === is ? (down ? " ↓" : " ↑") : ""}</button><Tip of={name}><b>{name}</b><span>{told}</span></Tip></th>))}
            {at !== null ? <th scope="col" title="What they saw and took, and the last reason that was given">Their visit</th> : null}<th scope="col">Interests</th></tr></thead>
            <tbody>{found.rows.map((one) => <Line key={one.id} one={one} at={at} open={() => (at === null ? openPerson(one.id) : choose({ person: one.id, about: "decisions" }))} />)}</tbody></table></div>
          <div className="tools"><button type="button" disabled={!offset} onClick={() => setOffset(Math.max(0, offset - PAGE) || null)}>Back</button>
            <span className="faint small" role="status">{count(offset + 1)} to {count(offset + found.rows.length)} of {count(found.total)}</span>
            <button type="button" disabled={offset + PAGE >= found.total} onClick={() => setOffset(offset + PAGE)}>On</button></div>
        </>
      ) : found ? null : <p className="faint">Counting …</p>}
    </section>
  );
}

function Line({ one, at, open }: { one: PersonLine; at: number | null; open: () => void }) {
  return (
    <tr>
      <th scope="row"><button type="button" className="link person" onClick={open}>{one.name}</button> <span className="faint small">{one.id}{one.age ? ` · ${one.age}` : ""}{one.career ? ` · ${one.career}` : ""}</span></th>
      {at !== null ? <td className="number nowrap">{one.visit?.satisfaction != null ? <Level value={one.visit.satisfaction} /> : <span className="faint">{one.visit ? "not told" : "not here"}</span>}</td> : null}
      <td className="number nowrap">{one.visits ? <Level value={one.satisfaction} /> : <span className="faint">–</span>}</td>
      <td className="number">{count(one.visits)}</td><td className="number">{count(one.picks)}</td><td className="number">{measure(one.stars)}</td>
      <td className="number nowrap">{one.last ? `round ${one.last}` : <span className="faint">never</span>}</td>
      <td className={`number ${one.failures ? "warn" : ""}`}>{count(one.failures)}</td>
      {at !== null ? <td className="small">{one.visit ? <>{count(one.visit.pages)} {one.visit.pages === 1 ? "page" : "pages"}, {count(one.visit.picks)} {one.visit.picks === 1 ? "pick" : "picks"}{one.visit.failures ? `, ${one.visit.failures} failed` : ""}{one.visit.why ? <span className="cause"> {one.visit.why}</span> : null}</> : null}</td> : null}
      <td className="small">{one.interests.join(", ")}</td>
    </tr>
  );
}

const Level = ({ value }: { value: number }) => <><Bar value={value} label={`satisfaction ${measure(value)}`} /> {measure(value)}</>;
