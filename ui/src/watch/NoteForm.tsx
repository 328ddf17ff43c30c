// A score from 1 to 5 and words, under one's name.

import { useEffect, useState } from "react";
import { said } from "../fold/store";
import { useAuthor } from "../parts/author";
import { useHere } from "../parts/context";
import { Field, Problem } from "../parts/ui";
import { runPath, send } from "../wire/api";
import type { NoteRow } from "../wire/types";

export const POINTS: [number, string][] = [[1, "not at all believable"], [2, "hardly"], [3, "half"], [4, "mostly"], [5, "fully believable"]];

export function AuthorField() {
  const [author, setAuthor] = useAuthor();
  return (
    <Field label="Your name" hint="Entered once, kept in this browser, and shown beside what you write.">
      {(id, told) => <input id={id} aria-describedby={told} value={author} maxLength={80} onChange={(event) => setAuthor(event.target.value)} autoComplete="name" />}</Field>
  );
}

export function Points({ name, score, choose }: { name: string; score: number | null; choose: (score: number) => void }) {
  return (
    <fieldset className="points"><legend>Score</legend>
      {POINTS.map(([point, words]) => (
        <label key={point} className={score === point ? "on" : ""} title={words}>
          <input type="radio" name={name} checked={score === point} onChange={() => choose(point)} /> {point}<span className="hidden"> {words}</span></label>))}
      <span className="faint small">1 {POINTS[0]?.[1]} · 5 {POINTS[4]?.[1]}</span>
    </fieldset>
  );
}

/** Write a note for good; the server has it on disk before this ends. */
export function useWrite(): (about: string, author: string, score: number | null, text: string) => Promise<NoteRow> {
  const { feed } = useHere();
  return (about, author, score, text) => send<NoteRow>(`${runPath(feed.id)}/notes/${about}`, { author: author.trim(), score, text }, "PUT");
}

export function NoteForm({ about, mine, saved }: { about: string; mine: NoteRow | undefined; saved: () => void }) {
  const [author] = useAuthor();
  const [score, setScore] = useState<number | null>(mine?.score ?? null);
  const [text, setText] = useState(mine?.text ?? "");
  const [problem, setProblem] = useState("");
  const [told, setTold] = useState("");
  useEffect(() => { setScore(mine?.score ?? null); setText(mine?.text ?? ""); }, [about, mine]);
  const write = useWrite();
  const keep = async (next: number | null, words: string, done: string) => {
    setProblem(""); setTold("");
    try { await write(about, author, next, words); setTold(done); saved(); } catch (failure) { setProblem(said(failure)); }
  };
  return (
    <form className="stack" onSubmit={(event) => { event.preventDefault(); void keep(score, text, "Kept."); }}>
      <AuthorField />
      <Points name={`score-${about}`} score={score} choose={setScore} />
      <Field label="Note">{(id) => <textarea id={id} rows={3} maxLength={4000} value={text} onChange={(event) => setText(event.target.value)} placeholder="What strikes you about it?" />}</Field>
      <Problem>{problem}</Problem>
      <div className="tools"><button type="submit" className="main" disabled={!author.trim() || (score === null && !text.trim())}>Keep</button>
        {mine ? <button type="button" onClick={() => void keep(null, "", "Removed.")}>Remove mine</button> : null}<span className="faint small" role="status">{told}</span></div>
    </form>
  );
}
