// A line of the story, with people and items in it that can be opened.

import { memo } from "react";
import { on, type Known, type Piece } from "../fold/events";
import { useHere } from "../parts/context";
import { choose } from "../parts/route";

export function PersonLink({ id, name }: { id: number; name?: string }) {
  const { feed, openPerson } = useHere();
  if (id < 0) return <span>the platform</span>;
  return <button type="button" className="link person" onClick={() => openPerson(id)}>{name ?? feed.person(id)}</button>;
}

export const Told = memo(function Told({ pieces, known }: { pieces: Piece[]; known: Known }) {
  return (
    <>{pieces.map((one, at) => {
      switch (one.is) {
        case "person": return <PersonLink key={at} id={one.id} />;
        case "item": return <cite key={at}>{known.item(one.id)}</cite>;
        case "topic": return <span key={at} className="faint">{on(known, one.id)}</span>;
        case "quote": return <q key={at}>{one.words}</q>;
        case "words": return <span key={at}>{one.words}</span>;
      }
    })}</>
  );
});

export function CallLinks({ calls }: { calls: readonly string[] | undefined }) {
  const { openCall } = useHere();
  if (!calls?.length) return null;
  return (
    <>{calls.map((key, at) => (
      <button key={key} type="button" className="link call" title="The exact prompt and reply" onClick={() => openCall(key)}>
        {calls.length > 1 ? `prompt ${at + 1}` : "prompt"}
      </button>
    ))}</>
  );
}

/** Opens what people wrote about something, to read or to write. */
export function NoteLink({ about, what }: { about: string; what: string }) {
  return <button type="button" className="link note-link small" aria-label={`Score ${what} or write a note`} onClick={() => choose({ note: about })}>note</button>;
}
