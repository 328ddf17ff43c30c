// What people wrote about a decision, a talk or a person, and one's own score and words on it.

import { useAsked } from "../fold/store";
import { useAuthor } from "../parts/author";
import { useHere } from "../parts/context";
import { Problem, Sheet } from "../parts/ui";
import { get, runPath } from "../wire/api";
import type { SubjectReply } from "../wire/types";
import { NoteForm } from "./NoteForm";

export const KINDS: Record<string, string> = { decision: "Decision", talk: "Talk", person: "Person" };

export function NoteSheet({ about, close }: { about: string; close: () => void }) {
  const { feed } = useHere();
  const [author] = useAuthor();
  const asked = useAsked((signal) => get<SubjectReply>(`${runPath(feed.id)}/notes/${encodeURIComponent(about)}`, signal), about);
  const found = asked.value;
  const isMine = (name: string) => name.toLowerCase() === author.trim().toLowerCase();
  return (
    <Sheet title="Notes and scores" close={close}>
      <Problem again={asked.again}>{asked.problem}</Problem>
      {found ? (
        <>
          <p><span className="tag">{KINDS[found.subject.kind]}</span> <span className="strong">{found.name}</span>{found.subject.round ? <span className="faint small"> round {found.subject.round}</span> : null}</p>
          <p className="told">{found.words}</p>
          {found.notes.filter((one) => !isMine(one.author)).map((one) => (
            <p key={one.author}><span className="strong">{one.author}</span> {one.score !== null ? <span className="tag">{one.score} of 5</span> : null} {one.text}</p>))}
          <NoteForm key={about} about={about} mine={found.notes.find((one) => isMine(one.author))} saved={asked.again} />
        </>
      ) : asked.problem ? null : <p className="faint">Loading …</p>}
    </Sheet>
  );
}
