// Conversations as one reads them: who said what to whom, in turns.

import { memo } from "react";
import { useFeed } from "../fold/store";
import { latestDialogues, type Dialogue } from "../fold/views";
import { useHere } from "../parts/context";
import { Empty } from "../parts/ui";
import { CallLinks, NoteLink, PersonLink } from "./Told";

export function Dialogues() {
  const { feed, live } = useHere();
  useFeed(feed, 2);
  const found = latestDialogues(live, 30);
  if (!found.length) return <Empty title="Nobody has talked yet">After the visits of a round, people who want to talk are paired. What they say appears here.</Empty>;
  return (
    <div className="scroll dialogues" tabIndex={0} role="region" aria-label="Dialogues">
      {found.map((one) => <Talk key={one.key} talk={one} />)}
    </div>
  );
}

const Talk = memo(function Talk({ talk }: { talk: Dialogue }) {
  const first = talk.people[0] ?? -1;
  return (
    <article className="talk">
      <header><span>{talk.people.map((one, at) => <span key={one}>{at ? " and " : ""}<PersonLink id={one} /></span>)}</span>
        <span className="faint small">round {talk.round} <NoteLink about={`talk.${talk.key}.${talk.step}`} what="this talk" /></span></header>
      {talk.lines.map((line, at) => (
        <div key={at} className={`bubble ${line.agent === first ? "" : "other"}`}>
          <span className="who small"><PersonLink id={line.agent} /></span>
          <p>{line.text || "…"}</p>
          <CallLinks calls={line.calls} />
        </div>
      ))}
    </article>
  );
}, (a, b) => a.talk.key === b.talk.key);
