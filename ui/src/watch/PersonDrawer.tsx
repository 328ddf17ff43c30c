// A person: who it is, what it lived, whom it knows, what it remembers, and why it did what it did.

import { useEffect, useRef } from "react";
import { useAsked, useFeed } from "../fold/store";
import { useHere } from "../parts/context";
import { address, choose, useParam } from "../parts/route";
import { WordTip } from "../parts/Tip";
import { Bar, Empty, Problem, Tabs } from "../parts/ui";
import { get, query, runPath } from "../wire/api";
import type { Person } from "../wire/types";
import { Decisions } from "./Decisions";
import { Memories } from "./Memories";
import { percent, stars } from "../parts/format";
import { PersonLink } from "./Told";

type View = "who" | "lived" | "ties" | "memory" | "decisions";

export function PersonDrawer({ id, close }: { id: number; close: () => void }) {
  const { feed, at } = useHere();
  useFeed(feed, 1);
  const [view, setView] = useParam<View>("about", "who");
  const round = feed.control?.round ?? 0;
  const busy = feed.control?.state === "running";
  const asked = useAsked(
    (signal) => get<Person>(`${runPath(feed.id)}/people/${id}${query({ at })}`, signal), `${id} ${at ?? "now"}`,
  );
  const again = asked.again;
  const mine = busy ? round : feed.live.after;
  useEffect(() => { if (at === null) again(); }, [mine, at, again]);
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => { head.current?.focus(); }, [id]);
  const person = asked.value;
  return (
    <aside className="drawer" aria-label="Person" onKeyDown={(event) => { if (event.key === "Escape") { event.stopPropagation(); close(); } }}>
      <header className="drawer-head">
        <div><h2 tabIndex={-1} ref={head}>{person?.profile.name || feed.person(id)}</h2>
          <p className="faint small">person {id} · {at === null ? "now" : `end of round ${at}`}</p></div>
        <button type="button" className="quiet icon" aria-label="Close" onClick={close}>✕</button>
      </header>
      <Problem again={asked.again}>{asked.problem}</Problem>
      {person ? (
        <>
          <div className="tools drawer-tools">
            <a className="button" href={address({ screen: "run", id: feed.id, tab: "ask", chosen: { who: id } })}>Ask</a>
            <a className="button" href={address({ screen: "run", id: feed.id, tab: "part", chosen: { who: id } })}>Take their place</a>
            <a className="button" href={address({ screen: "run", id: feed.id, tab: "change", chosen: { who: id } })}>Edit</a>
            <a className="button" href={address({ screen: "run", id: feed.id, tab: "ask", chosen: { view: "chat", who: id } })}>Chat</a>
            <button type="button" onClick={() => choose({ note: `person.${id}` })}>Note</button>
          </div>
          <Tabs label="About this person" chosen={view} choose={setView} choices={[
            { is: "who", name: "Profile" }, { is: "lived", name: "History" }, { is: "ties", name: "Ties" },
            { is: "memory", name: "Memory" }, { is: "decisions", name: "Decisions" },
          ]} />
          <div className="drawer-body" role="tabpanel" aria-label={view} tabIndex={0}>{part(view, person)}</div>
        </>
      ) : asked.problem ? null : <p className="faint pad">Loading …</p>}
    </aside>
  );
}

function part(view: View, person: Person) {
  switch (view) {
    case "who": return <Who person={person} />;
    case "lived": return <LivedList person={person} />;
    case "ties": return <Ties person={person} />;
    case "memory": return <Memories memory={person.memory} />;
    case "decisions": return <Decisions person={person} />;
  }
}

const LEVELS = ["calm", "moderate", "intense"];

function Who({ person }: { person: Person }) {
  const { profile } = person;
  const facts: [string, string][] = [
    ["Age", profile.age == null ? "" : `${profile.age}`], ["Gender", profile.gender], ["Career", profile.career],
    ["Traits", profile.traits.join(", ")], ["Interests", profile.interests.join(", ")], ["Visits", `${person.visits}`],
    ["Activity", profile.activity.toFixed(2)], ["Source id", profile.key],
  ];
  const habits = Object.entries(profile.habits).filter(([, value]) => value > 0);
  return (
    <>
      <dl className="facts">{facts.filter(([, value]) => value).map(([label, value]) => <div key={label}><dt>{label}</dt><dd>{value}</dd></div>)}
        <div><dt>Satisfaction</dt><dd className="with-bar">{person.satisfaction.toFixed(2)} <Bar value={person.satisfaction} label={`satisfaction ${person.satisfaction.toFixed(2)}`} tone="good" /></dd></div>
      </dl>
      {person.topics?.length ? <><h3>Emotion and attitude</h3><dl className="facts">{person.topics.map((one) => (
        <div key={one.topic}><dt>{one.name}</dt><dd>{one.aware ? `${LEVELS[one.level] ?? one.level}, ${one.stance > 0 ? "in favour" : one.stance < 0 ? "against" : "without a view"}` : "has not heard of it"}</dd></div>))}</dl></> : null}
      <h3>Taste<WordTip of="Taste" /></h3>
      {person.taste.length ? <ul className="bars">{person.taste.slice(0, 8).map((one) => (
        <li key={one.tag}><span>{one.tag}</span><Bar value={one.value} label={`${one.tag} ${one.value.toFixed(2)}`} /><span className="number small">{one.value.toFixed(2)}</span></li>))}</ul>
        : <p className="faint">None known.</p>}
      {habits.length ? <><h3>Habits<WordTip of="Habits" /></h3><ul className="bars">{habits.map(([name, value]) => (
        <li key={name}><span>{name}</span><Bar value={value} label={`${name} ${value.toFixed(2)}`} /><span className="number small">{value.toFixed(2)}</span></li>))}</ul></> : null}
    </>
  );
}

function LivedList({ person }: { person: Person }) {
  if (!person.history.length) return <Empty title="No history yet">What this person picks, watches and rates appears here.</Empty>;
  return (
    <ul className="lived">{[...person.history].reverse().map((one, at) => (
      <li key={at}><div><cite>{one.title}</cite> <span className="faint small">{day(one.at)} · {percent(one.fraction)}</span></div>
        {one.stars ? <span className="stars" role="img" aria-label={`${one.stars} of 5 stars`}>{stars(one.stars)}</span> : <span className="faint small">not rated</span>}
        {one.feeling ? <q>{one.feeling}</q> : null}</li>
    ))}</ul>
  );
}

/** The day of a moment of the run. */
const day = (at: number): string => (at > 0 ? new Date(at * 1000).toISOString().slice(0, 10) : "before the run");

function Ties({ person }: { person: Person }) {
  return (
    <>
      <h3>Listens to {person.ties.length}, heard by {person.followers}</h3>
      {person.ties.length ? <ul className="bars">{person.ties.map((one) => (
        <li key={one.other}><span><PersonLink id={one.other} name={one.name} /> <span className="faint small">{one.kind}</span></span>
          <Bar value={one.closeness} label={`closeness ${one.closeness.toFixed(2)}`} /><span className="number small">{one.closeness.toFixed(2)}</span></li>))}</ul>
        : <p className="faint">Nobody.</p>}
      {person.heard.length ? <><h3>Heard of</h3><ul className="lived">{person.heard.map((one, at) => (
        <li key={at}><cite>{one.title}</cite> <span className="faint small">from <PersonLink id={one.who} /> ({one.stance > 0 ? "+" : ""}{one.stance.toFixed(1)})</span></li>))}</ul></> : null}
      {person.inbox.length ? <><h3>Inbox</h3><ul className="lived">{person.inbox.map((one) => (
        <li key={one.post}><PersonLink id={one.author} /> <q>{one.text}</q></li>))}</ul></> : null}
    </>
  );
}
