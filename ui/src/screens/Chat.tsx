// A talk with one person: they remember what was said in it, the run remembers nothing of it.

import { useEffect, useRef, useState } from "react";
import { said, useAsked } from "../fold/store";
import { ApiLink } from "../parts/ApiLink";
import { useHere } from "../parts/context";
import { choose, useNumber, useParam } from "../parts/route";
import { Empty, Problem } from "../parts/ui";
import { FindPerson } from "../watch/FindPerson";
import { CallLinks, PersonLink } from "../watch/Told";
import { get, runPath, send } from "../wire/api";
import type { Chat, ChatRow } from "../wire/types";

export function ChatView() {
  const { feed, at } = useHere();
  const [id] = useParam("chat", "");
  const [who] = useNumber("who");
  const [problem, setProblem] = useState("");
  const past = useAsked((signal) => get<ChatRow[]>(`${runPath(feed.id)}/chats`, signal), feed.id);
  const begin = (agent: number) => {
    setProblem("");
    send<Chat>(`${runPath(feed.id)}/chats`, { agent, ...(at === null ? {} : { at }) })
      .then((made) => { choose({ chat: made.id }); past.again(); }, (failure: unknown) => setProblem(said(failure)));
  };
  return (
    <div className="split">
      <div className="stack">
        <section className="card stack" aria-label="Begin a chat"><h2>Chat with a person</h2>
          <div className="field"><FindPerson id="chat-person" label="Choose a person" choose={(one) => begin(one.id)} /></div>
          {who !== null ? <div className="tools"><button type="button" onClick={() => begin(who)}>Chat with {feed.person(who)}</button></div> : null}
          <p className="hint">{at === null ? "They answer as they are now." : `They answer as they were at the end of round ${at}.`} Within a chat they remember what was said; the run stays as it is.</p>
          <Problem>{problem || past.problem}</Problem>
        </section>
        {past.value?.length ? (
          <section className="card" aria-label="Past chats"><h2>Past chats</h2>
            <ul className="picks">{past.value.map((one) => (
              <li key={one.id}><button type="button" className="row" aria-current={one.id === id} onClick={() => choose({ chat: one.id })}>
                <span className="strong">{one.name}</span><span className="faint small">end of round {one.at} · {one.lines} lines</span></button></li>))}</ul>
          </section>
        ) : null}
      </div>
      {id ? <Talk key={id} id={id} grown={past.again} />
        : <section className="card"><Empty title="No chat yet">Choose somebody, then talk: what did they watch, why did they leave, what would bring them back?</Empty></section>}
    </div>
  );
}

function Talk({ id, grown }: { id: string; grown: () => void }) {
  const { feed } = useHere();
  const path = `${runPath(feed.id)}/chats/${encodeURIComponent(id)}`;
  const asked = useAsked((signal) => get<Chat>(path, signal), id);
  const [newer, setNewer] = useState<Chat | null>(null);
  const [words, setWords] = useState("");
  const [waiting, setWaiting] = useState("");
  const [problem, setProblem] = useState("");
  const chat = newer ?? asked.value;
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => { end.current?.scrollIntoView({ block: "nearest" }); }, [chat, waiting]);
  const say = async () => {
    const text = words.trim();
    setProblem(""); setWaiting(text); setWords("");
    try { setNewer(await send<Chat>(path, { text })); grown(); } catch (failure) { setProblem(said(failure)); setWords(text); }
    setWaiting("");
  };
  if (!chat) return <section className="card"><Problem again={asked.again}>{asked.problem}</Problem>{asked.problem ? null : <p className="faint">Loading …</p>}</section>;
  const byRule = chat.said.some((line) => line.by === "rule");
  return (
    <section className="card stack" aria-label={`Chat with ${chat.name}`}>
      <div className="row-between"><h2>Chat with <PersonLink id={chat.agent} name={chat.name} /></h2><span className="faint small">end of round {chat.at}</span></div>
      {byRule ? <p className="note-line">A rule answers from a template here, line by line: this run names no language model to speak for its people.</p> : null}
      <div className="chat-lines" role="log" aria-live="polite" aria-label="What was said" tabIndex={0}>
        {chat.said.length || waiting ? null : <p className="faint">Say something to begin.</p>}
        {chat.said.map((line, place) => (
          <div key={place} className={`bubble ${line.is_theirs ? "" : "other"}`}><span className="who small">{line.is_theirs ? chat.name : "You"} <CallLinks calls={line.calls} /></span>
            <p>{line.text || <span className="faint">no answer: {line.failure}</span>}</p></div>))}
        {waiting ? <><div className="bubble other"><span className="who small">You</span><p>{waiting}</p></div><p className="faint small" role="status">{chat.name} is answering …</p></> : null}
        <div ref={end} />
      </div>
      <Problem>{problem}</Problem>
      <form className="inline" onSubmit={(event) => { event.preventDefault(); void say(); }}>
        <input aria-label={`Say to ${chat.name}`} value={words} maxLength={1000} onChange={(event) => setWords(event.target.value)} autoComplete="off" placeholder="What did you watch last?" />
        <button type="submit" className="main" disabled={!words.trim() || waiting !== ""}>Say</button>
      </form>
      {chat.said.length ? <div className="tools"><ApiLink className="button" path={`${path}/chat.csv`}>Save as CSV</ApiLink><ApiLink className="button" path={`${path}/chat.json`}>Save as JSON</ApiLink></div> : null}
    </section>
  );
}
