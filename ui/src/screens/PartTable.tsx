// What somebody who takes part sees and may attempt.

import { useState } from "react";
import { Empty, Field } from "../parts/ui";
import { PAGE_ACTIONS } from "../types.gen";
import type { Observation } from "../wire/types";

type Act = (action: Record<string, unknown>) => void;
interface Props { seen: Observation; act: Act; busy: boolean }

export function Table({ seen, act, busy }: Props) {
  return (
    <section className="card stack" aria-label="What you see" aria-busy={busy}>
      {seen.surface === "conversation" ? <Talk seen={seen} act={act} busy={busy} />
        : seen.surface === "social" ? <Friends seen={seen} act={act} busy={busy} />
          : seen.surface === "home" ? <Home seen={seen} act={act} busy={busy} />
            : <Page seen={seen} act={act} busy={busy} />}
    </section>
  );
}

const taken = (seen: Observation, type: string, item: number): boolean => seen.taken.some((move) => move.type === type && move["item"] === item);
const SURFACES: Record<string, string> = { search: "Search results", saved: "Saved for later" };
const may = (seen: Observation, what: string): boolean => seen.menu.includes(what);

function SearchField({ seen, act, busy }: Props) {
  const [words, setWords] = useState("");
  if (!may(seen, "Search")) return null;
  const search = () => { act({ type: "Search", query: words.trim() }); setWords(""); };
  return (
    <form className="inline" role="search" onSubmit={(event) => { event.preventDefault(); search(); }}>
      <input aria-label="Search items" type="search" placeholder="Search items" value={words} onChange={(event) => setWords(event.target.value)} />
      <button type="submit" disabled={busy || !words.trim()}>Search</button>
    </form>
  );
}

function Home({ seen, act, busy }: Props) {
  return (
    <>
      <h3>You open the platform</h3>
      <p className="faint">What would you like to do?</p>
      <div className="tools">
        <button type="button" className="main" disabled={busy} onClick={() => act({ type: "Enter", surface: "recommender" })}>See recommendations</button>
        <button type="button" disabled={busy} onClick={() => act({ type: "Enter", surface: "social" })}>See friends and posts</button>
        <button type="button" disabled={busy} onClick={() => act({ type: "Nothing" })}>Not today</button>
      </div>
      <Inbox seen={seen} act={act} busy={busy} />
    </>
  );
}

function Page({ seen, act, busy }: Props) {
  return (
    <>
      <div className="row-between"><h3>{SURFACES[seen.surface] ?? "Recommended for you"}{seen.page >= 0 ? `, page ${seen.page + 1}` : ""}</h3><SearchField seen={seen} act={act} busy={busy} /></div>
      {seen.slate.length ? null : may(seen, "Browse")
        ? <div className="tools"><button type="button" className="main" disabled={busy} onClick={() => act({ type: "Browse" })}>Show the first page</button></div>
        : <Empty title="Nothing to show" />}
      <ol className="shelf">{seen.slate.map((one) => <Card key={one.item} one={one} seen={seen} act={act} busy={busy} />)}</ol>
      {seen.slate.length && may(seen, "NextPage") ? <div className="tools"><button type="button" disabled={busy} onClick={() => act({ type: "NextPage" })}>Next page</button></div> : null}
    </>
  );
}

function Card({ one, seen, act, busy }: Props & { one: Observation["slate"][number] }) {
  const [part, setPart] = useState(100);
  const [stars, setStars] = useState(0);
  const [feeling, setFeeling] = useState("");
  const isLived = seen.lived.some((lived) => lived.item === one.item) || taken(seen, "Pick", one.item);
  const isRated = taken(seen, "Rate", one.item) || seen.lived.some((lived) => lived.item === one.item && lived.stars > 0);
  return (
    <li className={`shelf-card ${isLived ? "picked" : ""}`}>
      <div><cite className="strong">{one.title}</cite> <span className="faint small">{[one.year, ...(one.tags ?? [])].filter(Boolean).join(" · ")}</span></div>
      {one.about ? <p className="small about">{one.about}</p> : null}
      {one.reason ? <p className="small faint">{one.reason}</p> : null}
      {isRated ? <p className="small good">✓ picked and rated</p> : isLived ? (
        <div className="rate">
          <fieldset className="star-field"><legend className="hidden">Stars for {one.title}</legend>
            {[1, 2, 3, 4, 5].map((star) => (
              <label key={star}><input type="radio" name={`stars-${one.item}`} className="hidden" checked={stars === star} onChange={() => setStars(star)} />
                <span aria-hidden="true" className={star <= stars ? "on" : ""}>★</span><span className="hidden">{star} of 5</span></label>))}
          </fieldset>
          <input aria-label={`What you felt about ${one.title}`} placeholder="What did you feel?" value={feeling} onChange={(event) => setFeeling(event.target.value)} />
          <button type="button" disabled={busy || !stars} onClick={() => act({ type: "Rate", item: one.item, stars, feeling })}>Rate</button>
        </div>
      ) : (
        <div className="rate">
          <label className="small">How much <input type="range" min={5} max={100} step={5} value={part} onChange={(event) => setPart(Number(event.target.value))} /> {part} %</label>
          <button type="button" disabled={busy} aria-label={`Pick ${one.title}`} onClick={() => act({ type: "Pick", item: one.item, fraction: part / 100 })}>Pick</button>
          {PAGE_ACTIONS.filter((type) => may(seen, type) && !taken(seen, type, one.item)).map((type) => <button key={type} type="button" className="quiet" disabled={busy} aria-label={`${type} ${one.title}`} onClick={() => act({ type, item: one.item })}>{type}</button>)}
        </div>
      )}
    </li>
  );
}

function Friends({ seen, act, busy }: Props) {
  const [to, setTo] = useState<number>(seen.friends[0]?.id ?? -1);
  const [words, setWords] = useState("");
  const [post, setPost] = useState("");
  return (
    <>
      <h3>Friends and posts</h3>
      <form className="stack tight" onSubmit={(event) => { event.preventDefault(); act({ type: "Post", text: post.trim() }); setPost(""); }}>
        <Field label="Post to your followers">{(id) => <textarea id={id} rows={2} value={post} onChange={(event) => setPost(event.target.value)} />}</Field>
        <div className="tools"><button type="submit" disabled={busy || !post.trim()}>Post</button></div>
      </form>
      {seen.friends.length ? (
        <form className="stack tight" onSubmit={(event) => { event.preventDefault(); act({ type: "Say", to, text: words.trim() }); setWords(""); }}>
          <Field label="Talk with">{(id) => <select id={id} value={to} onChange={(event) => setTo(Number(event.target.value))}>
            {seen.friends.map((one) => <option key={one.id} value={one.id}>{one.name} ({one.kind})</option>)}</select>}</Field>
          <Field label="First message">{(id) => <input id={id} value={words} onChange={(event) => setWords(event.target.value)} autoComplete="off" />}</Field>
          <div className="tools"><button type="submit" disabled={busy || !words.trim()}>Ask to talk</button></div>
          <p className="hint">The conversation takes place after this round's visits.</p>
        </form>
      ) : <p className="faint">This person follows nobody.</p>}
      <Inbox seen={seen} act={act} busy={busy} />
    </>
  );
}

function Inbox({ seen, act, busy }: Props) {
  if (!seen.inbox.length) return null;
  return (
    <section><h3>New posts</h3>
      <ul className="plain">{seen.inbox.map((one) => (
        <li key={one.post} className="post"><p>{one.text}</p>
          {may(seen, "Forward") && !seen.taken.some((move) => move.type === "Forward" && move["post"] === one.post) ? <button type="button" className="quiet" disabled={busy} onClick={() => act({ type: "Forward", post: one.post })}>Forward</button> : null}</li>))}</ul>
    </section>
  );
}

function Talk({ seen, act, busy }: Props) {
  const [words, setWords] = useState("");
  const friend = seen.friends[0];
  return (
    <>
      <h3>You talk with {friend?.name ?? "somebody"}</h3>
      <div className="talk">{seen.lines.map((line, at) => (
        <div key={at} className={`bubble ${line.agent === seen.me.id ? "" : "other"}`}><span className="who small">{line.agent === seen.me.id ? "You" : friend?.name}</span><p>{line.text}</p></div>))}</div>
      <form className="inline" onSubmit={(event) => { event.preventDefault(); act({ type: "Say", to: friend?.id ?? -1, text: words.trim() }); setWords(""); }}>
        <input aria-label="Your message" value={words} onChange={(event) => setWords(event.target.value)} autoComplete="off" />
        <button type="submit" className="main" disabled={busy || !words.trim()}>Say</button>
        <button type="button" disabled={busy} onClick={() => act({ type: "Leave", satisfaction: null })}>End the conversation</button>
      </form>
    </>
  );
}

export function Ways({ seen, act, busy }: Props) {
  const [mark, setMark] = useState("");
  if (seen.surface === "home" || seen.surface === "conversation") return null;
  const other = seen.surface === "social" ? "recommender" : "social";
  return (
    <section className="card stack" aria-label="Next step">
      <h3>Next step</h3>
      {may(seen, "Enter") ? <button type="button" disabled={busy} onClick={() => act({ type: "Enter", surface: other })}>{other === "social" ? "Go to friends and posts" : "Go to recommendations"}</button> : null}
      <label className="small">How satisfied are you? <select value={mark} onChange={(event) => setMark(event.target.value)}>
        <option value="">not said</option>{Array.from({ length: 10 }, (_, at) => <option key={at} value={at / 9}>{at + 1}</option>)}</select></label>
      <button type="button" disabled={busy} onClick={() => act({ type: "Leave", satisfaction: mark === "" ? null : Number(Number(mark).toFixed(4)) })}>Leave</button>
    </section>
  );
}

const MOVES: Record<string, (move: Record<string, unknown>) => string> = {
  Pick: () => "picked", Rate: (move) => `rated ${String(move["stars"])}★`, Post: () => "a post", Say: () => "a request to talk", Forward: () => "passed on",
};

export function Lived({ seen }: { seen: Observation }) {
  const titles = new Map(seen.slate.map((one) => [one.item, one.title]));
  return (
    <section className="card" aria-label="This visit">
      <h3>This visit</h3>
      {seen.lived.length || seen.taken.length ? (
        <ul className="plain small">
          {seen.lived.map((one, at) => <li key={`l${at}`}><cite>{one.title}</cite>{one.stars ? <span className="faint"> {one.stars}★</span> : null}</li>)}
          {seen.taken.map((move, at) => <li key={`t${at}`}>{titles.has(Number(move["item"])) ? <cite>{titles.get(Number(move["item"]))}: </cite> : null}<span className="faint">{MOVES[move.type]?.(move) ?? move.type}</span></li>)}
        </ul>
      ) : <p className="faint small">Nothing yet.</p>}
      <p className="hint">Picks, ratings and posts take effect when you leave the page.</p>
    </section>
  );
}
