// Scoring decisions one after another: keys 1 to 5 score and go on, arrows go back and forth.

import { useEffect, useRef, useState } from "react";
import { said, useAsked } from "../fold/store";
import { ApiLink } from "../parts/ApiLink";
import { useAuthor } from "../parts/author";
import { useHere } from "../parts/context";
import { choose, useNumber } from "../parts/route";
import { Empty, Problem } from "../parts/ui";
import { AuthorField, Points, useWrite } from "../watch/NoteForm";
import { CallLinks, PersonLink } from "../watch/Told";
import { get, query, runPath } from "../wire/api";
import type { DecisionCase, NoteRow } from "../wire/types";

const COUNT = 20;

export function ScoreView() {
  const { feed } = useHere();
  const [seed] = useNumber("seed");
  const [at] = useNumber("at");
  const [author] = useAuthor();
  const drawn = seed ?? 1;
  const cases = useAsked((signal) => get<DecisionCase[]>(`${runPath(feed.id)}/decisions${query({ count: COUNT, seed: drawn })}`, signal), `${feed.id} ${drawn}`);
  const notes = useAsked((signal) => get<NoteRow[]>(`${runPath(feed.id)}/notes`, signal), feed.id);
  const found = cases.value ?? [];
  const mine = new Map((notes.value ?? []).filter((one) => one.author.toLowerCase() === author.trim().toLowerCase()).map((one) => [one.about, one]));
  const done = found.filter((one) => mine.get(one.about)?.score).length;
  const place = Math.min(at ?? 0, Math.max(0, found.length - 1));
  const one = found[place];
  const go = (to: number) => choose({ at: Math.max(0, Math.min(found.length - 1, to)) || null }, "replace");
  return (
    <section className="card stack" aria-label="Score decisions">
      <div className="row-between"><h2>Score decisions</h2>
        <div className="tools"><span className="faint small" role="status">{done} of {found.length} scored</span>
          <button type="button" onClick={() => choose({ seed: drawn + 1, at: null })}>Draw {COUNT} others</button>
          {notes.value?.length ? <ApiLink className="button" path={`${runPath(feed.id)}/notes.csv`}>Save scores as CSV</ApiLink> : null}</div></div>
      <Problem again={cases.again}>{cases.problem || notes.problem}</Problem>
      {cases.value && !found.length ? <Empty title="No decision yet">Let the run go on for a round; what people decide can then be scored.</Empty> : null}
      {one ? (
        <>
          <progress className="whole-bar" max={found.length} value={done} aria-label={`${done} of ${found.length} scored`} />
          {author.trim() ? null : <AuthorField />}
          <Case one={one} place={place} of={found.length} kept={mine.get(one.about)} author={author} go={go} saved={notes.again} />
        </>
      ) : null}
    </section>
  );
}

interface CaseProps { one: DecisionCase; place: number; of: number; kept: NoteRow | undefined; author: string; go: (to: number) => void; saved: () => void }

function Case({ one, place, of, kept, author, go, saved }: CaseProps) {
  const [text, setText] = useState(kept?.text ?? "");
  const [score, setScore] = useState(kept?.score ?? null);
  const [problem, setProblem] = useState("");
  const write = useWrite();
  useEffect(() => { setText(kept?.text ?? ""); setProblem(""); }, [one.about, kept?.text]);
  useEffect(() => setScore(kept?.score ?? null), [one.about, kept?.score]);
  const keep = async (next: number | null, isOn: boolean) => {
    if (!author.trim()) { setProblem("Enter your name first; it stands beside your scores."); return; }
    setProblem(""); setScore(next);
    try { await write(one.about, author, next, text); saved(); if (isOn) go(place + 1); } catch (failure) { setProblem(said(failure)); }
  };
  useScoreKeys({ score: (next) => void keep(next, true), go: (by) => go(place + by) });
  return (
    <article className="case stack" aria-label={`Decision ${place + 1} of ${of}`}>
      <header className="row-between"><span><PersonLink id={one.agent} name={one.name} /> <span className="faint small">round {one.round} · decision {place + 1} of {of}</span></span><CallLinks calls={one.calls} /></header>
      <p className="small faint">{one.who}</p>
      {one.shown.length ? <p className="small"><span className="faint">Was shown </span>{one.shown.map((title, each) => <span key={each}>{each ? ", " : ""}<cite>{title}</cite></span>)}</p> : null}
      <ul className="did">{one.lines.map((line, each) => <li key={each}>{line}</li>)}</ul>
      {one.cause ? <p className="cause">{one.cause}</p> : null}
      <p className="strong">Would this person have done that?</p>
      <Points name={`case-${one.about}`} score={score} choose={(next) => void keep(next, false)} />
      <div className="inline"><input aria-label="Note on this decision" placeholder="A note, if you like" maxLength={4000} value={text} onChange={(event) => setText(event.target.value)} />
        <button type="button" disabled={text.trim() === (kept?.text ?? "")} onClick={() => void keep(score, false)}>Keep the note</button></div>
      <Problem>{problem}</Problem>
      <div className="tools"><button type="button" disabled={place === 0} onClick={() => go(place - 1)}>← Previous</button>
        <button type="button" disabled={place >= of - 1} onClick={() => go(place + 1)}>Next →</button>
        <span className="hint">Keys: <kbd>1</kbd> to <kbd>5</kbd> score and go on, <kbd>←</kbd> <kbd>→</kbd> move.</span></div>
    </article>
  );
}

/** Keys of this screen come before those of the run, whose numbers open tabs. */
function useScoreKeys(keys: { score: (score: number) => void; go: (by: number) => void }): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement | null;
      const isTyping = target?.tagName === "TEXTAREA" || target?.tagName === "SELECT" || (target instanceof HTMLInputElement && target.type !== "radio");
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping || document.querySelector("dialog[open]")) return;
      const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      const isTab = target?.getAttribute("role") === "tab";
      if (/^[1-5]$/.test(event.key)) { event.preventDefault(); event.stopPropagation(); latest.current.score(Number(event.key)); }
      else if (by && !isTab) { event.preventDefault(); event.stopPropagation(); latest.current.go(by); }
    };
    addEventListener("keydown", pressed, true);
    return () => removeEventListener("keydown", pressed, true);
  }, []);
}
