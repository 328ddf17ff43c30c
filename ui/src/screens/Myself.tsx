// At one's side while taking part: who one is, one's taste, one's history, and what friends did lately.

import { useEffect } from "react";
import { useAsked } from "../fold/store";
import { useHere } from "../parts/context";
import { percent, stars } from "../parts/format";
import { Bar } from "../parts/ui";
import { PersonLink } from "../watch/Told";
import { get, runPath } from "../wire/api";
import type { FriendNews, Person } from "../wire/types";

const HISTORY = 20;

/** A person in one or two sentences. */
export function inWords(person: Person): string {
  const { profile } = person;
  const facts = [profile.age == null ? "" : `${profile.age} years old`, profile.gender, profile.career].filter(Boolean).join(", ");
  const traits = profile.traits.length ? ` You are ${profile.traits.join(", ")}.` : "";
  const likes = profile.interests.length ? ` You like ${profile.interests.join(", ")}.` : "";
  return `You are ${person.profile.name || `person ${profile.id}`}${facts ? `, ${facts}` : ""}.${traits}${likes}`;
}

export function Myself({ agent, turn }: { agent: number; turn: string }) {
  const { feed } = useHere();
  const path = `${runPath(feed.id)}/people/${agent}`;
  const me = useAsked((signal) => get<Person>(path, signal), path);
  const friends = useAsked((signal) => get<FriendNews[]>(`${path}/friends`, signal), `${path} friends`);
  const { again } = me;
  const againFriends = friends.again;
  useEffect(() => { again(); againFriends(); }, [turn, again, againFriends]);
  if (!me.value) return <section className="card" aria-label="Who you are"><h3>Who you are</h3><p className="faint small">{me.problem ? "You join at the start of the next round." : "Loading …"}</p></section>;
  return <Known person={me.value} friends={friends.value ?? []} />;
}

function Known({ person, friends }: { person: Person; friends: FriendNews[] }) {
  const liked = person.taste.filter((one) => one.value > 0).slice(0, 6);
  const lived = [...person.history].reverse().slice(0, HISTORY);
  return (
    <>
      <section className="card stack tight" aria-label="Who you are"><h3>Who you are</h3>
        <p>{inWords(person)}</p>
        <p className="small with-bar"><span>Satisfied so far: {percent(person.satisfaction)}</span> <Bar value={person.satisfaction} label={`satisfied ${percent(person.satisfaction)}`} tone="good" /></p>
        {liked.length ? <><h3>Your taste</h3><ul className="bars small">{liked.map((one) => (
          <li key={one.tag}><span>{one.tag}</span><Bar value={one.value} label={`${one.tag} ${percent(one.value)}`} /><span className="number">{percent(one.value)}</span></li>))}</ul></> : null}
      </section>
      <section className="card" aria-label="Your history"><h3>Your history{lived.length ? `, last ${lived.length}` : ""}</h3>
        {lived.length ? <ul className="plain small side-list" tabIndex={0}>{lived.map((one, at) => (
          <li key={at}><cite>{one.title}</cite> {one.stars ? <span className="stars" role="img" aria-label={`${one.stars} of 5 stars`}>{stars(one.stars)}</span> : <span className="faint">not rated</span>}
            {one.fraction < 0.9 ? <span className="faint"> left at {percent(one.fraction)}</span> : null}</li>))}</ul> : <p className="faint small">You have not watched anything yet.</p>}
      </section>
      <section className="card" aria-label="Your friends"><h3>Your friends and what they did lately</h3>
        {friends.length ? <ul className="plain small side-list" tabIndex={0}>{friends.map((one) => (
          <li key={one.id}><PersonLink id={one.id} name={one.name} /> <span className="faint">{one.kind}</span>
            {one.lately.length ? <ul className="did">{one.lately.map((deed, at) => <li key={at}>{deed.text} <span className="faint">round {deed.round}</span></li>)}</ul> : <p className="faint">nothing lately</p>}</li>))}</ul>
          : <p className="faint small">You listen to nobody yet.</p>}
      </section>
    </>
  );
}
