// Interviews: one question to one, some or all; the answers in a table. Asking changes nobody by itself.

import { useEffect, useState } from "react";
import { said, useEvery } from "../fold/store";
import { useHere } from "../parts/context";
import { useNumber } from "../parts/route";
import { Empty, Field, Problem } from "../parts/ui";
import { FindPerson } from "../watch/FindPerson";
import { CallLinks, PersonLink } from "../watch/Told";
import { get, runPath, send } from "../wire/api";
import type { Job, StartedInterview } from "../wire/types";

type Whom = "some" | "segment" | "everyone";

interface Question { id: string; question: string }

/** The last question to this run, whose answers the server still has. */
function kept(run: string): Question | null {
  const found = sessionStorage.getItem(`asked ${run}`);
  return found === null ? null : (JSON.parse(found) as Question);
}

export function AskTab() {
  const { feed, at } = useHere();
  const [whom, setWhom] = useState<Whom>("some");
  const [who] = useNumber("who");
  const [people, setPeople] = useState<number[]>(who === null ? [] : [who]);
  const [segment, setSegment] = useState("");
  const [trait, setTrait] = useState("interest");
  const [question, setQuestion] = useState("");
  const [remember, setRemember] = useState(false);
  const [problem, setProblem] = useState("");
  const [job, setJob] = useState(() => kept(feed.id));
  useEffect(() => {
    if (job) sessionStorage.setItem(`asked ${feed.id}`, JSON.stringify(job)); else sessionStorage.removeItem(`asked ${feed.id}`);
  }, [feed.id, job]);
  const [answer, setAnswer] = useState<Job | null>(null);
  const isOpen = job !== null && !answer?.error && (answer === null || !answer.over);
  const look = () => {
    if (job) get<Job>(`/jobs/${encodeURIComponent(job.id)}`).then(setAnswer, (failure: unknown) => { setProblem(said(failure)); setJob(null); });
  };
  useEvery(isOpen ? 500 : null, look);
  useEffect(look, [job]);
  const ask = async () => {
    setProblem(""); setAnswer(null);
    const who = whom === "everyone" ? { everyone: true } : whom === "segment" ? { segment: { [trait]: segment.trim() } } : { agents: people };
    try {
      const made = await send<StartedInterview>(`${runPath(feed.id)}/ask`, { ...who, question, remember, ...(at === null ? {} : { at }) });
      setJob({ id: made.job, question });
    } catch (failure) { setProblem(said(failure)); }
  };
  const ready = question.trim() && (whom === "everyone" || (whom === "segment" ? segment.trim() : people.length));
  const everyone = feed.panel?.people ?? 0;
  return (
    <div className="split">
      <form className="card stack" onSubmit={(event) => { event.preventDefault(); void ask(); }}>
        <h2>Ask</h2>
        <fieldset className="radios"><legend>Who</legend>
          {([["some", "Selected people"], ["segment", "People with something in common"], ["everyone", `Everyone (${everyone.toLocaleString("en")})`]] as [Whom, string][]).map(([is, name]) => (
            <label key={is}><input type="radio" name="whom" checked={whom === is} onChange={() => setWhom(is)} /> {name}</label>))}
        </fieldset>
        {whom === "some" ? (
          <div className="field"><FindPerson id="ask-person" label="Add a person" choose={(one) => setPeople((old) => [...new Set([...old, one.id])])} />
            <ul className="chips">{people.map((one) => (
              <li key={one}><PersonLink id={one} /><button type="button" className="quiet icon" aria-label={`Remove ${feed.person(one)}`} onClick={() => setPeople(people.filter((other) => other !== one))}>✕</button></li>))}</ul></div>
        ) : null}
        {whom === "segment" ? (
          <div className="two">
            <Field label="What they share">{(id) => <select id={id} value={trait} onChange={(event) => setTrait(event.target.value)}>
              {["interest", "gender", "career", "trait"].map((one) => <option key={one}>{one}</option>)}</select>}</Field>
            <Field label="Value" hint={trait === "interest" && feed.names.tags.length ? `Such as ${feed.names.tags.slice(0, 4).join(", ")}` : undefined}>
              {(id, told) => <input id={id} aria-describedby={told} value={segment} onChange={(event) => setSegment(event.target.value)} autoComplete="off" />}</Field>
          </div>
        ) : null}
        <Field label="Question">{(id) => <textarea id={id} rows={3} value={question} onChange={(event) => setQuestion(event.target.value)} placeholder="What did you like best, and why?" />}</Field>
        <label className="check"><input type="checkbox" checked={remember} onChange={(event) => setRemember(event.target.checked)} /> Let them remember being asked</label>
        <p className="hint">{at === null ? "They answer as they are now." : `They answer as they were at the end of round ${at}.`} {remember ? "The interview becomes an intervention at the next round." : "They will not remember it."}</p>
        <Problem>{problem}</Problem>
        <div className="tools"><button type="submit" className="main" disabled={!ready || isOpen}>Ask</button></div>
      </form>
      <section className="card answers" aria-label="Answers" aria-live="polite">
        <h2>Answers</h2>
        {job && answer ? <Answers question={job.question} answer={answer} /> : job ? <p className="faint">Asking …</p>
          : <Empty title="No question yet">Answers come from the profile, the history and the memory of each person, through the model of this run.</Empty>}
      </section>
    </div>
  );
}

function Answers({ question, answer }: { question: string; answer: Job }) {
  const csv = () => {
    const cell = (text: string | number) => `"${String(text).replaceAll('"', '""')}"`;
    const rows = [["person", "name", "answer"], ...answer.answers.map((one) => [one.agent, one.name, one.text])];
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([rows.map((row) => row.map(cell).join(",")).join("\r\n")], { type: "text/csv" }));
    link.download = "answers.csv";
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <>
      <p><q>{question}</q></p>
      <Problem>{answer.error}</Problem>
      {!answer.over ? <progress max={answer.total} value={answer.done} aria-label={`${answer.done} of ${answer.total} answered`} /> : null}
      {answer.answers.length ? (
        <>
          <div className="table-box"><table><thead><tr><th scope="col">Person</th><th scope="col">Answer</th></tr></thead>
            <tbody>{answer.answers.map((one) => (
              <tr key={one.agent}><td className="nowrap"><PersonLink id={one.agent} name={one.name} /></td><td>{one.text || <span className="faint">no answer{one.failure ? `: ${one.failure}` : ""}</span>} <CallLinks calls={one.calls} /></td></tr>))}</tbody></table></div>
          <div className="tools"><button type="button" onClick={csv}>Save as CSV</button></div>
        </>
      ) : null}
    </>
  );
}
