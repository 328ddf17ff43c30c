// Interviews and chats: one question to many, in a table that is kept; or a talk with one person. Neither changes anybody by itself.

import { useState } from "react";
import { optionsIn } from "../fold/tally";
import { said, useAsked } from "../fold/store";
import { useHere } from "../parts/context";
import { choose, useNumber, useParam } from "../parts/route";
import { Field, Problem, Tabs } from "../parts/ui";
import { FindPerson } from "../watch/FindPerson";
import { PersonLink } from "../watch/Told";
import { get, runPath, send } from "../wire/api";
import type { InterviewRow, StartedInterview } from "../wire/types";
import { ChatView } from "./Chat";
import { InterviewView } from "./Interview";

type View = "question" | "chat";
type Whom = "everyone" | "sample" | "segment" | "absent" | "some";
type Kind = "open" | "yes" | "scale" | "own";
const KINDS: [Kind, string, string][] = [
  ["open", "Open: they answer in their own words", ""], ["yes", "Yes, no, not sure", "yes, no, not sure"],
  ["scale", "A scale from 1 to 5", "1-5"], ["own", "Options of your own", ""],
];
const TRAITS = ["interest", "gender", "age", "career", "trait", "habit"];

export function AskTab() {
  const [view, setView] = useParam<View>("view", "question");
  return (
    <div className="stack">
      <Tabs label="How to ask" chosen={view} choose={setView} choices={[{ is: "question", name: "Ask many a question" }, { is: "chat", name: "Chat with one person" }]} />
      {view === "chat" ? <ChatView /> : <Interviews />}
    </div>
  );
}

function Interviews() {
  const { feed } = useHere();
  const [id, setId] = useParam("interview", "");
  const past = useAsked((signal) => get<InterviewRow[]>(`${runPath(feed.id)}/interviews`, signal), feed.id);
  const shown = id || past.value?.[0]?.id || "";
  return (
    <div className="split">
      <div className="stack">
        <Question begun={(next) => { setId(next); past.again(); }} />
        <Past rows={past.value ?? []} shown={shown} open={setId} />
        <Problem again={past.again}>{past.problem}</Problem>
      </div>
      <InterviewView key={shown} id={shown} over={past.again} />
    </div>
  );
}

function Question({ begun }: { begun: (id: string) => void }) {
  const { feed, at } = useHere();
  const [who] = useNumber("who");
  const [whom, setWhom] = useState<Whom>(who === null ? "everyone" : "some");
  const [people, setPeople] = useState<number[]>(who === null ? [] : [who]);
  const [sample, setSample] = useState("50");
  const [segment, setSegment] = useState("");
  const [trait, setTrait] = useState("interest");
  const [question, setQuestion] = useState("");
  const [kind, setKind] = useState<Kind>("open");
  const [typed, setTyped] = useState("");
  const [remember, setRemember] = useState(false);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const everyone = feed.panel?.people ?? 0;
  const drawn = Math.min(Number(sample) || 0, everyone);
  const options = optionsIn(kind === "own" ? typed : KINDS.find(([is]) => is === kind)?.[2] ?? "");
  const ask = async () => {
    setProblem(""); setBusy(true);
    const chosen = {
      everyone: { everyone: true }, sample: { everyone: true, sample: drawn }, absent: { absent: true },
      segment: { segment: { [trait]: segment.trim() } }, some: { agents: people },
    }[whom];
    try {
      const made = await send<StartedInterview>(`${runPath(feed.id)}/ask`, { ...chosen, question, options, remember, ...(at === null ? {} : { at }) });
      begun(made.interview);
    } catch (failure) { setProblem(said(failure)); }
    setBusy(false);
  };
  const ready = question.trim() && (kind !== "own" || options.length > 1) && (whom === "some" ? people.length : whom === "segment" ? segment.trim() : whom === "sample" ? drawn > 0 : true);
  const ways: [Whom, string][] = [
    ["everyone", `Everybody (${everyone.toLocaleString("en")})`], ["sample", "A random sample"], ["segment", "People with something in common"],
    ["absent", "People who stay away: they came before, but not for five rounds"], ["some", "Selected people"],
  ];
  return (
    <form className="card stack" onSubmit={(event) => { event.preventDefault(); void ask(); }}>
      <h2>Ask a question</h2>
      <Field label="Question">{(id) => <textarea id={id} rows={2} maxLength={2000} value={question} onChange={(event) => setQuestion(event.target.value)} placeholder="Would you recommend this service to a friend?" />}</Field>
      <Field label="Kind of answer" hint={kind === "open" ? undefined : "They say why in their own words, then choose; the choices are counted."}>
        {(id, told) => <select id={id} aria-describedby={told} value={kind} onChange={(event) => setKind(event.target.value as Kind)}>{KINDS.map(([is, name]) => <option key={is} value={is}>{name}</option>)}</select>}</Field>
      {kind === "own" ? <Field label="Options" hint="Two to twelve, separated by commas.">
        {(id, told) => <input id={id} aria-describedby={told} value={typed} maxLength={1000} onChange={(event) => setTyped(event.target.value)} placeholder="daily, weekly, rarely" autoComplete="off" />}</Field> : null}
      <fieldset className="radios"><legend>Who</legend>
        {ways.map(([is, name]) => <label key={is}><input type="radio" name="whom" checked={whom === is} onChange={() => setWhom(is)} /> {name}</label>)}
      </fieldset>
      {whom === "sample" ? <Field label="How many" hint="Drawn at random; the same number draws the same people.">
        {(id, told) => <input id={id} aria-describedby={told} className="short" inputMode="numeric" value={sample} onChange={(event) => setSample(event.target.value.replace(/\D/g, "").slice(0, 6))} />}</Field> : null}
      {whom === "some" ? (
        <div className="field"><FindPerson id="ask-person" label="Add a person" choose={(one) => setPeople((old) => [...new Set([...old, one.id])])} />
          <ul className="chips">{people.map((one) => (
            <li key={one}><PersonLink id={one} /><button type="button" className="quiet icon" aria-label={`Remove ${feed.person(one)}`} onClick={() => setPeople(people.filter((other) => other !== one))}>✕</button></li>))}</ul></div>
      ) : null}
      {whom === "segment" ? (
        <div className="two">
          <Field label="What they share">{(id) => <select id={id} value={trait} onChange={(event) => setTrait(event.target.value)}>{TRAITS.map((one) => <option key={one}>{one}</option>)}</select>}</Field>
          <Field label="Value" hint={trait === "age" ? "Such as 20-29" : trait === "interest" && feed.names.tags.length ? `Such as ${feed.names.tags.slice(0, 3).join(", ")}` : undefined}>
            {(id, told) => <input id={id} aria-describedby={told} maxLength={200} value={segment} onChange={(event) => setSegment(event.target.value)} autoComplete="off" />}</Field>
        </div>
      ) : null}
      <label className="check"><input type="checkbox" checked={remember} onChange={(event) => setRemember(event.target.checked)} /> Let them remember being asked</label>
      <p className="hint">{at === null ? "They answer as they are now." : `They answer as they were at the end of round ${at}.`} {remember ? "The interview becomes a change at the next round." : "They will not remember it, and the run stays as it is."}</p>
      <Problem>{problem}</Problem>
      <div className="tools"><button type="submit" className="main" disabled={!ready || busy}>Ask</button></div>
    </form>
  );
}

function Past({ rows, shown, open }: { rows: InterviewRow[]; shown: string; open: (id: string) => void }) {
  if (!rows.length) return null;
  return (
    <section className="card" aria-label="Past interviews"><h2>Past interviews</h2>
      <ul className="picks">{rows.map((one) => (
        <li key={one.id}><button type="button" className="row" aria-current={one.id === shown} onClick={() => { choose({ words: null, only: null, by: null }, "replace"); open(one.id); }}>
          <span className="strong">{one.question}</span>
          <span className="faint small">{one.whom} · end of round {one.at} · {standing(one)}</span></button></li>))}</ul>
    </section>
  );
}

/** How far an interview is, in words. */
export function standing(one: InterviewRow): string {
  const of = `${one.done.toLocaleString("en")} of ${one.asked.toLocaleString("en")}`;
  switch (one.state) {
    case "asking": return `asking, ${of} so far`;
    case "done": return `${one.done.toLocaleString("en")} answered`;
    case "cancelled": return `cancelled after ${of}`;
    case "failed": return `failed after ${of}`;
    case "interrupted": return `interrupted after ${of}`;
  }
}
