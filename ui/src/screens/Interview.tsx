// One interview: how far it is, what was chosen by whom, and every answer.

import { useEffect, useRef, useState } from "react";
import { filtered, kindsOf, reach, shareWords } from "../fold/tally";
import { said, useEvery } from "../fold/store";
import { ApiLink } from "../parts/ApiLink";
import { useHere } from "../parts/context";
import { useParam } from "../parts/route";
import { Bar, Empty, Problem } from "../parts/ui";
import { CallLinks, PersonLink } from "../watch/Told";
import { get, query, runPath, send } from "../wire/api";
import type { Answer, AnswerCounts, Interview } from "../wire/types";
import { standing } from "./Ask";

const SHOWN = 200;

function useInterview(path: string, id: string, over: () => void) {
  const [found, setFound] = useState<Interview | null>(null);
  const [problem, setProblem] = useState("");
  const busy = useRef(false);
  const look = () => {
    if (!id || busy.current) return;
    busy.current = true;
    const have = found?.answers ?? [];
    get<Interview>(`${path}${query({ after: have.length })}`).then((next) => {
      setFound({ ...next, answers: [...have, ...next.answers] });
      setProblem("");
      if (found?.state === "asking" && next.state !== "asking") over();
    }, (failure: unknown) => setProblem(said(failure))).finally(() => { busy.current = false; });
  };
  useEffect(look, [id]);
  useEvery(id && (found === null || found.state === "asking") && !problem ? 700 : null, look);
  return { found, problem, look };
}

export function InterviewView({ id, over }: { id: string; over: () => void }) {
  const { feed } = useHere();
  const path = `${runPath(feed.id)}/interviews/${encodeURIComponent(id)}`;
  const { found, problem, look } = useInterview(path, id, over);
  return (
    <section className="card answers" aria-label="Answers">
      <h2>Answers</h2>
      <Problem again={look}>{problem}</Problem>
      {found ? <Whole one={found} path={path} look={look} />
        : id ? (problem ? null : <p className="faint" role="status">Loading …</p>)
          : <Empty title="No question yet">Answers come from the profile, the history and the memory of each person, through the model of this run. They are kept beside the run.</Empty>}
    </section>
  );
}

function Whole({ one, path, look }: { one: Interview; path: string; look: () => void }) {
  const [problem, setProblem] = useState("");
  const cancel = () => { send(`${path}/cancel`, {}).then(look, (failure: unknown) => setProblem(said(failure))); };
  return (
    <>
      <p className="asked"><q>{one.question}</q></p>
      <p className="faint small" role="status">{one.whom} · end of round {one.at} · {standing(one)}{one.failed ? ` · ${one.failed} without an answer` : ""}</p>
      {one.state === "asking" ? (
        <div className="tools"><progress className="grow" max={one.asked} value={one.done} aria-label={`${one.done} of ${one.asked} answered`} />
          <button type="button" onClick={cancel}>Cancel, and keep what was answered</button></div>
      ) : null}
      <Problem>{one.error || problem}</Problem>
      {one.by_rule ? <p className="note-line">{one.by_rule === one.done ? "All" : one.by_rule} answers were made by a rule from a template, not by a language model: they show how the page works, not what people think. Give the run a model to hear its people.</p> : null}
      {one.table ? <Counted table={one.table} /> : null}
      {one.answers.length ? <Listed one={one} /> : null}
      {one.state !== "asking" ? (
        <div className="tools">
          <ApiLink className="button" path={`${path}/answers.csv`}>Save answers as CSV</ApiLink>
          {one.table ? <ApiLink className="button" path={`${path}/table.csv`}>Save table as CSV</ApiLink> : null}
          <ApiLink className="button" path={`${path}/interview.json`}>Save all as JSON</ApiLink>
        </div>
      ) : null}
    </>
  );
}

function Counted({ table }: { table: NonNullable<Interview["table"]> }) {
  const [by, setBy] = useParam("by", "", "replace");
  const { all, segments } = table;
  const kinds = kindsOf(segments);
  const chosen = by && kinds.includes(by) ? by : kinds[0] ?? "";
  const rows = segments.filter((one) => one.by === chosen);
  return (
    <>
      <table className="counts"><caption className="hidden">Choices of everybody who was asked</caption>
        <thead><tr><th scope="col">Choice</th><th scope="col" className="number">People</th><th scope="col">Share, with 95 % interval</th></tr></thead>
        <tbody>{all.options.map((one) => (
          <tr key={one.option}><th scope="row">{one.option}</th><td className="number">{one.count}</td>
            <td><span className="share"><Bar value={one.share ?? 0} label={`${one.option}: ${shareWords(one.share, one.low, one.high)}`} /> {shareWords(one.share, one.low, one.high)}</span></td></tr>))}</tbody></table>
      {all.mean != null ? <p>Mean <span className="strong">{all.mean.toFixed(2)}</span>{all.low != null && all.high != null ? ` (95 % interval ${all.low.toFixed(2)} to ${all.high.toFixed(2)})` : ""}</p> : null}
      {kinds.length ? (
        <>
          <label className="small by-line">By <select value={chosen} onChange={(event) => setBy(event.target.value)}>{kinds.map((one) => <option key={one}>{one}</option>)}</select>
            <span className="faint">segments of at least five people; number and share, with the 95 % interval below</span></label>
          <div className="table-box by-segment"><Segments rows={rows} /></div>
        </>
      ) : null}
    </>
  );
}

function Segments({ rows }: { rows: AnswerCounts[] }) {
  const options = rows[0]?.options ?? [];
  const isScale = rows.some((one) => one.mean != null);
  return (
    <table><thead><tr><th scope="col">Segment</th><th scope="col" className="number">People</th>
      {options.map((one) => <th key={one.option} scope="col">{one.option}</th>)}{isScale ? <th scope="col" className="number">Mean</th> : null}</tr></thead>
      <tbody>{rows.map((row) => (
        <tr key={row.name}><th scope="row" className="nowrap">{row.name}</th><td className="number">{row.answered}</td>
          {row.options.map((one) => <td key={one.option} className="nowrap"><span className="strong">{one.count}</span> {shareWords(one.share, null, null)}<br /><span className="faint small">{reach(one.low, one.high)}</span></td>)}
          {isScale ? <td className="number">{row.mean?.toFixed(2) ?? "–"}</td> : null}</tr>))}</tbody></table>
  );
}

function Listed({ one }: { one: Interview }) {
  const [words, setWords] = useParam("words", "", "replace");
  const [only, setOnly] = useParam("only", "", "replace");
  const [most, setMost] = useState(SHOWN);
  const found = filtered(one.answers, words, only);
  return (
    <>
      <div className="tools list-tools"><input type="search" aria-label="Filter the answers" placeholder="Filter by words" value={words} onChange={(event) => setWords(event.target.value)} />
        {one.options.length ? <select aria-label="Show only" value={only} onChange={(event) => setOnly(event.target.value)}><option value="">All choices</option>{one.options.map((each) => <option key={each}>{each}</option>)}</select> : null}
        <span className="faint small">{found.length === one.answers.length ? `${found.length} answers` : `${found.length} of ${one.answers.length} answers`}</span></div>
      <div className="table-box" tabIndex={0} role="group" aria-label="Answers in words"><table><thead><tr><th scope="col">Person</th>{one.options.length ? <th scope="col">Choice</th> : null}<th scope="col">In their words</th></tr></thead>
        <tbody>{found.slice(0, most).map((each) => <Row key={each.agent} one={each} hasChoice={one.options.length > 0} />)}</tbody></table></div>
      {found.length > most ? <button type="button" className="quiet" onClick={() => setMost(most + SHOWN)}>Show {Math.min(SHOWN, found.length - most)} more</button> : null}
    </>
  );
}

function Row({ one, hasChoice }: { one: Answer; hasChoice: boolean }) {
  return (
    <tr><td><PersonLink id={one.agent} name={one.name} /></td>
      {hasChoice ? <td className="nowrap">{one.choice || "–"}</td> : null}
      <td>{one.text}{one.failure ? <span className="faint"> {one.text ? "" : "no answer: "}{one.failure}</span> : null} {one.by === "rule" ? <span className="tag">by rule</span> : null} <CallLinks calls={one.calls} /></td></tr>
  );
}
