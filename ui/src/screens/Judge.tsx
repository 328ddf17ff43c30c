// The judging of texts and memories inside the page: the tasks of `audience eval people`, kept beside the run.

import { useEffect, useState } from "react";
import { said, useAsked } from "../fold/store";
import { ApiLink } from "../parts/ApiLink";
import { useAuthor } from "../parts/author";
import { useHere } from "../parts/context";
import { choose, useNumber } from "../parts/route";
import { Empty, Field, Problem } from "../parts/ui";
import { AuthorField } from "../watch/NoteForm";
import { get, query, runPath, send } from "../wire/api";
import type { JudgementSheet } from "../wire/types";

type Task = JudgementSheet["tasks"][number];
export interface Given { text?: string; verdict?: number; informative?: number; relevant?: number }
const TEXTS: Record<string, string> = { T1: "Summarise in one sentence what this person lived.", T2: "What did this person understand? Write one insight.", T3: "What does this person conclude? Write one reflection." };
const VERDICTS: [number, string][] = [[1, "the first is much better"], [2, "the first is better"], [3, "equally good"], [4, "the second is better"], [5, "the second is much better"]];
const DEGREES: [number, string][] = [[1, "not at all"], [2, "hardly"], [3, "half"], [4, "mostly"], [5, "fully"]];

export function isComplete(task: Task, given: Given | undefined): boolean {
  if (!given) return false;
  switch (task.type) {
    case "write": return Boolean(given.text?.trim());
    case "pair": return given.verdict !== undefined;
    case "score": return given.informative !== undefined && given.relevant !== undefined;
    case "choose": return false;
  }
}

export function JudgeView() {
  const { feed } = useHere();
  const [author] = useAuthor();
  const [name, setName] = useState(author.trim());
  const path = `${runPath(feed.id)}/judging`;
  const asked = useAsked((signal) => get<JudgementSheet>(`${path}${query({ judge: name })}`, signal), `${feed.id} ${name}`);
  const sheet = asked.value;
  return (
    <section className="card stack" aria-label="Judge texts">
      <h2>Judge texts and memories</h2>
      <Problem again={asked.again}>{asked.problem}</Problem>
      {!sheet ? (asked.problem ? null : <p className="faint" role="status">Preparing the tasks …</p>)
        : sheet.missing ? <Empty title="Nothing to judge in this run">{sheet.missing}</Empty>
          : !name ? <form className="stack" onSubmit={(event) => { event.preventDefault(); setName(author.trim()); }}><p>{sheet.tasks.length} tasks: texts to write, and memories or pairs of texts to judge. Which of them came from people and which from the simulation is not shown.</p><AuthorField /><div className="tools"><button type="submit" className="main" disabled={!author.trim()}>Begin</button></div></form>
            : <Tasks key={`${sheet.page} ${name}`} sheet={sheet} judge={name} path={path} />}
    </section>
  );
}

function Tasks({ sheet, judge, path }: { sheet: JudgementSheet; judge: string; path: string }) {
  const { feed } = useHere();
  const [at] = useNumber("at");
  const [answers, setAnswers] = useState<Record<string, Given>>(sheet.answers as Record<string, Given>);
  const [problem, setProblem] = useState("");
  const place = Math.min(at ?? 0, sheet.tasks.length - 1);
  const task = sheet.tasks[place];
  const done = sheet.tasks.filter((one) => isComplete(one, answers[one.id])).length;
  const go = (to: number) => choose({ at: Math.max(0, Math.min(sheet.tasks.length - 1, to)) || null }, "replace");
  const keep = (given: Given) => {
    if (!task) return;
    const next = { ...answers, [task.id]: given };
    setAnswers(next); setProblem("");
    if (isComplete(task, given)) send(`${path}/${sheet.page}`, { judge, answers: { [task.id]: given } }, "PUT").catch((failure: unknown) => setProblem(said(failure)));
  };
  if (!task) return null;
  return (
    <>
      <div className="row-between"><span className="faint small" role="status">{judge} · task {place + 1} of {sheet.tasks.length} · {done} answered</span>
        <ApiLink className="button" path={`/judge${query({ run: feed.id, tasks: "b,c" })}`}>As a page for others</ApiLink></div>
      <progress className="whole-bar" max={sheet.tasks.length} value={done} aria-label={`${done} of ${sheet.tasks.length} answered`} />
      <One key={task.id} task={task} given={answers[task.id] ?? {}} keep={keep} />
      <Problem>{problem}</Problem>
      <div className="tools"><button type="button" disabled={place === 0} onClick={() => go(place - 1)}>← Previous</button>
        <button type="button" className="main" disabled={place >= sheet.tasks.length - 1} onClick={() => go(place + 1)}>Next →</button>
        <span className="hint">Each answer is kept beside the run as you give it.</span></div>
      {done ? <Result path={path} page={sheet.page} done={done} /> : null}
    </>
  );
}

function One({ task, given, keep }: { task: Task; given: Given; keep: (given: Given) => void }) {
  const [text, setText] = useState(given.text ?? "");
  useEffect(() => setText(given.text ?? ""), [task.id, given.text]);
  switch (task.type) {
    case "write": return (
      <article className="stack"><p className="strong">{TEXTS[task.what] ?? "Write one sentence."}</p><p>{task.person}</p><Lines lines={task.lines} />
        <Field label="Your sentence">{(id) => <textarea id={id} rows={2} maxLength={2000} value={text} onChange={(event) => setText(event.target.value)} onBlur={() => { if (text.trim()) keep({ text: text.trim() }); }} />}</Field></article>);
    case "pair": return (
      <article className="stack"><p className="strong">Which is better for this person?</p><p>{task.person}</p><Lines lines={task.lines} />
        <div className="pair"><section className="told"><h3>First</h3>{task.first.map((one, at) => <p key={at}>{one}</p>)}</section><section className="told"><h3>Second</h3>{task.second.map((one, at) => <p key={at}>{one}</p>)}</section></div>
        <Scale legend="Your verdict" name={`${task.id}-verdict`} points={VERDICTS} value={given.verdict} set={(verdict) => keep({ verdict })} /></article>);
    case "score": return (
      <article className="stack"><p className="strong">How good is what this person remembers for what they do?</p><p>{task.person}</p>
        <h3>What they do</h3><Lines lines={task.behaviour} /><h3>What they remember for it</h3><Lines lines={task.memories} />
        <Scale legend="How informative" name={`${task.id}-informative`} points={DEGREES} value={given.informative} set={(informative) => keep({ ...given, informative })} />
        <Scale legend="How relevant" name={`${task.id}-relevant`} points={DEGREES} value={given.relevant} set={(relevant) => keep({ ...given, relevant })} /></article>);
    case "choose": return null;
  }
}

function Lines({ lines }: { lines: string[] }) {
  return lines.length ? <ul className="did">{lines.map((one, at) => <li key={at}>{one}</li>)}</ul> : <p className="faint">Nothing.</p>;
}

function Scale({ legend, name, points, value, set }: { legend: string; name: string; points: [number, string][]; value: number | undefined; set: (value: number) => void }) {
  return (
    <fieldset className="points"><legend>{legend}</legend>{points.map(([point, words]) => (
      <label key={point} className={value === point ? "on" : ""}><input type="radio" name={name} checked={value === point} onChange={() => set(point)} /> {point} <span className="small">{words}</span></label>))}</fieldset>
  );
}

interface Scored { judges: { judge: string; answered: number }[]; scores: { variant: string; informative: Interval; relevant: Interval; cases: number; judges: number }[] }
interface Interval { mean: number | null; low: number | null; high: number | null }

function Result({ path, page, done }: { path: string; page: string; done: number }) {
  const [open, setOpen] = useState(false);
  const asked = useAsked(open ? (signal) => get<Scored>(`${path}/${page}/result`, signal) : null, `${page} ${open ? done : ""}`);
  return (
    <details className="store" onToggle={(event) => setOpen(event.currentTarget.open)}><summary>What all judges say so far</summary>
      <Problem again={asked.again}>{asked.problem}</Problem>
      {asked.value ? <ResultTable found={asked.value} /> : null}
    </details>
  );
}

const NAMES: Record<string, string> = { full: "full memory", "no-short": "without short-term", "no-long": "without long-term", "no-reflection": "without reflection" };
const told = (one: Interval): string => (one.mean == null ? "–" : `${one.mean.toFixed(2)}${one.low == null || one.high == null ? "" : ` (${one.low.toFixed(2)} to ${one.high.toFixed(2)})`}`);

function ResultTable({ found }: { found: Scored }) {
  return (
    <>
      {found.scores?.length ? (
        <div className="table-box"><table><thead><tr><th scope="col">Memory</th><th scope="col">Informative, 1 to 5</th><th scope="col">Relevant, 1 to 5</th><th scope="col" className="number">Cases</th><th scope="col" className="number">Judges</th></tr></thead>
          <tbody>{found.scores.map((one) => <tr key={one.variant}><th scope="row">{NAMES[one.variant] ?? one.variant}</th><td>{told(one.informative)}</td><td>{told(one.relevant)}</td><td className="number">{one.cases}</td><td className="number">{one.judges}</td></tr>)}</tbody></table></div>
      ) : <p className="faint">Scores of memories appear once some are given.</p>}
      <p className="hint">95 % intervals over cases. The whole result, with the agreement between judges: <code>audience eval people import RUN/judging/answers-{"*"}.json --key RUN/judging/seed-1.key.json</code></p>
    </>
  );
}
