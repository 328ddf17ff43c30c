// The live story, visit by visit; with a filter, lines of the whole run as the server tells them.

import { memo, useEffect, useRef, useState } from "react";
import { KINDS, OPENING, tell } from "../fold/events";
import { useAsked, useFeed, useSettled } from "../fold/store";
import { slatesOf } from "../fold/views";
import { useHere } from "../parts/context";
import { Named, meant } from "../parts/Named";
import { Empty, Problem } from "../parts/ui";
import { get, query, runPath } from "../wire/api";
import type { Chapter, StoryLine } from "../wire/types";
import { CallLinks, PersonLink, Told } from "./Told";

interface Filter { agent: string; kind: string; item: string; text: string }
const NONE: Filter = { agent: "", kind: "", item: "", text: "" };
const SHOWN = 60;
/** While a run goes on: more goes by faster than anybody reads. */
const SHOWN_GOING = 14;
const DELIVERIES = 3;

export function Story() {
  const { at } = useHere();
  const [filter, setFilter] = useState(NONE);
  const settled = useSettled(filter, 250);
  const isPlain = Object.values(settled).every((one) => !one);
  return (
    <>
      <Filters filter={filter} set={setFilter} />
      {isPlain ? <LiveStory key={at ?? "now"} /> : <Lines filter={settled} />}
    </>
  );
}

function Filters({ filter, set }: { filter: Filter; set: (filter: Filter) => void }) {
  const { feed } = useHere();
  const field = (key: keyof Filter) => ({
    value: filter[key], onChange: (event: { target: { value: string } }) => set({ ...filter, [key]: event.target.value }),
  });
  const any = Object.values(filter).some(Boolean);
  return (
    <form className="filters" role="search" aria-label="Filter the story" onSubmit={(event) => event.preventDefault()}>
      <input aria-label="Words in the story" placeholder="Search words" type="search" {...field("text")} />
      <select aria-label="Kind of event" {...field("kind")}>
        <option value="">All kinds</option>
        {KINDS.map(([kind, name]) => <option key={kind} value={kind}>{name}</option>)}
      </select>
      <Named aria-label="Person in the story" placeholder="Everybody" names={feed.names.people} value={filter.agent} set={(agent) => set({ ...filter, agent })} />
      <Named aria-label="Item in the story" placeholder="All items" names={feed.names.items} value={filter.item} set={(item) => set({ ...filter, item })} />
      {any ? <button type="button" className="quiet" onClick={() => set(NONE)}>Clear</button> : null}
    </form>
  );
}

function LiveStory() {
  const { feed, live, at } = useHere();
  const [held, setHeld] = useState<Chapter[] | null>(null);
  const [most, setMost] = useState(SHOWN);
  useFeed(feed, 2);
  const isGoing = at === null && feed.control?.state === "running";
  const box = useRef<HTMLDivElement>(null);
  const latest = live.chapters.slice(isGoing ? -Math.min(most, SHOWN_GOING) : -most).reverse();
  const shown = held ?? latest;
  const isMore = !held && !isGoing && live.chapters.length > most;
  const scrolled = () => {
    const down = (box.current?.scrollTop ?? 0) > 24;
    if (down && !held && isGoing) setHeld(live.chapters.slice(-most).reverse());
    if (!down && held) setHeld(null);
  };
  const top = () => { setHeld(null); box.current?.scrollTo({ top: 0 }); };
  if (!shown.length && at !== null) return <Empty title={at ? `Loading round ${at} …` : "Before the first round"}>{at ? "" : "Nobody has visited yet."}</Empty>;
  if (!shown.length) return <Empty title="Nothing has happened yet">Press Play, or step one visit, to see what people do.</Empty>;
  return (
    <div className="scroll story" ref={box} onScroll={scrolled} tabIndex={0} role="log" aria-live="off" aria-label="Story">
      {held ? <button type="button" className="news" onClick={top}>Paused while you read · jump to the newest</button> : null}
      {shown.map((one) => <ChapterCard key={one.n} chapter={one} />)}
      {isMore ? <button type="button" className="quiet more" onClick={() => setMost(most * 3)}>Show earlier events</button> : null}
    </div>
  );
}

const ChapterCard = memo(function ChapterCard({ chapter }: { chapter: Chapter }) {
  const { feed } = useHere();
  const slates = slatesOf(chapter);
  let slate = 0;
  let delivered = 0;
  const quiet = chapter.phase === OPENING || chapter.agent < 0;
  const talk = chapter.entries.some(([event]) => event[0] === "Said");
  return (
    <article className={`chapter ${quiet ? "quiet-chapter" : ""}`}>
      {quiet ? null : (
        <header><PersonLink id={chapter.agent} /><span className="faint small">round {chapter.round}{talk ? " · conversation" : ""}</span></header>
      )}
      <ul>{chapter.entries.map(([event, cause, calls], at) => {
        if (event[0] === "SlateShown") {
          const shown = slates[slate++];
          return shown ? (
            <li key={at} className="slate-line"><span className="faint">{shown.surface === "search" ? `results for “${shown.query}”` : `page ${shown.page + 1}`}: </span>
              {shown.items.map((one, place) => <span key={place} className="faint">{place ? ", " : ""}<span className={one.picked ? "picked" : ""}>{feed.item(one.item)}</span></span>)}
            </li>
          ) : null;
        }
        if (event[0] === "Woke" || event[0] === "Picked" || (event[0] === "Delivered" && (delivered += 1) > DELIVERIES)) return null;
        const pieces = tell(event);
        if (!pieces.length) return null;
        return (
          <li key={at} className={`kind-${event[0]}`}>
            {talk && event[0] === "Said" ? <><PersonLink id={event[1]} /> </> : null}
            <Told pieces={pieces} known={feed} />{cause ? <span className="cause"> {cause}</span> : null} <CallLinks calls={calls} />
          </li>
        );
      })}</ul>
      {delivered > DELIVERIES ? <p>and {delivered - DELIVERIES} more posts are delivered; see the Posts tab</p> : null}
    </article>
  );
});

function Lines({ filter }: { filter: Filter }) {
  const { feed, at, openPerson } = useHere();
  const round = feed.live.round;
  useFeed(feed, 1);
  const wanted = query({ text: filter.text, kind: filter.kind, agent: meant(filter.agent, feed.names.people), item: meant(filter.item, feed.names.items), round: at, limit: 300, latest: "true" });
  const asked = useAsked((signal) => get<StoryLine[]>(`${runPath(feed.id)}/story${wanted}`, signal), wanted);
  const again = asked.again;
  const live = at === null ? Math.floor(feed.live.after / 20) : 0;
  useEffect(() => { if (live) again(); }, [live, round, again]);
  if (asked.problem) return <Problem again={again}>{asked.problem}</Problem>;
  if (asked.value && !asked.value.length) {
    return <Empty title="No matches">{at === null ? "No event of this run matches the filter." : `No event of round ${at} matches.`}</Empty>;
  }
  return (
    <div className="scroll story" tabIndex={0} role="log" aria-live="off" aria-label="Story, filtered">
      <ul className="lines">{[...(asked.value ?? [])].reverse().map((line) => (
        <li key={`${line.n}.${line.step}`}>
          {at === null ? <span className="faint small round-mark">{line.round}</span> : null}
          <span>{line.text}{line.cause ? <span className="cause"> {line.cause}</span> : null} <CallLinks calls={line.calls} />
            {line.agent >= 0 ? <button type="button" className="link faint small" onClick={() => openPerson(line.agent)} aria-label={`Open ${feed.person(line.agent)}`}>open</button> : null}</span>
        </li>
      ))}</ul>
    </div>
  );
}
