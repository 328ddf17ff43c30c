// Taking a person's place, or joining as somebody new; the run waits, or goes on after a deadline.

import { useEffect, useRef, useState } from "react";
import { said, useFeed } from "../fold/store";
import { useHere } from "../parts/context";
import { useNumber } from "../parts/route";
import { Empty, Field, Problem } from "../parts/ui";
import { FindPerson } from "../watch/FindPerson";
import { runPath, send } from "../wire/api";
import { follow } from "../wire/stream";
import type { Control, Observation, Seat } from "../wire/types";
import { Myself } from "./Myself";
import { Lived, Table, Ways } from "./PartTable";

export interface Turn {
  seen: Observation | null;
  waiting: string;
  over: string;
}

const KEPT = "audience-seat";

/** The place one has in a run, kept in this browser so that one can leave and come back. */
function kept(run: string): Seat | null {
  try {
    const found = localStorage.getItem(`${KEPT} ${run}`);
    return found ? (JSON.parse(found) as Seat) : null;
  } catch { return null; }
}

export function PartTab() {
  const { feed } = useHere();
  const [seat, setSeat] = useState<Seat | null>(() => kept(feed.id));
  const take = (next: Seat | null) => {
    if (next) localStorage.setItem(`${KEPT} ${feed.id}`, JSON.stringify(next));
    else localStorage.removeItem(`${KEPT} ${feed.id}`);
    setSeat(next);
  };
  return seat ? <Seated key={seat.seat} seat={seat} take={take} /> : <Door take={take} />;
}

function Door({ take }: { take: (seat: Seat) => void }) {
  const { feed } = useHere();
  const [who, setWho] = useNumber("who", "replace");
  const [isNew, setNew] = useState(false);
  const [name, setName] = useState("");
  const [interests, setInterests] = useState("");
  const [waits, setWaits] = useState(true);
  const [seconds, setSeconds] = useState("60");
  const [problem, setProblem] = useState("");
  const sit = async () => {
    setProblem("");
    const words = interests.split(",").map((one) => one.trim()).filter(Boolean);
    const place = isNew ? { person: { name: name.trim(), interests: words } } : { agent: who };
    try {
      take(await send<Seat>(`${runPath(feed.id)}/play`, { ...place, deadline_s: waits ? null : Number(seconds) }));
    } catch (failure) { setProblem(said(failure)); }
  };
  const ready = (isNew ? name.trim() : who !== null) && (waits || Number(seconds) > 0);
  return (
    <div className="split">
      <form className="card stack" onSubmit={(event) => { event.preventDefault(); void sit(); }}>
        <h2>Take part</h2>
        {feed.control?.state === "finished" ? <p className="hint">This run has reached its last round. Extend it with <b>More rounds</b> above, then take part.</p> : null}
        <fieldset className="radios"><legend>Who you are</legend>
          <label><input type="radio" name="who" checked={!isNew} onChange={() => setNew(false)} /> A person in this run</label>
          <label><input type="radio" name="who" checked={isNew} onChange={() => setNew(true)} /> A new person</label>
        </fieldset>
        {isNew ? (
          <>
            <Field label="Name">{(id) => <input id={id} value={name} onChange={(event) => setName(event.target.value)} autoComplete="off" />}</Field>
            <Field label="Interests" hint={`Separated by commas${feed.names.tags.length ? `, such as ${feed.names.tags.slice(0, 3).join(", ")}` : ""}. New people join at the start of the next round.`}>
              {(id, told) => <input id={id} aria-describedby={told} value={interests} onChange={(event) => setInterests(event.target.value)} autoComplete="off" />}</Field>
          </>
        ) : (
          <div className="field"><FindPerson id="play-person" label="Choose a person" choose={(one) => setWho(one.id)} />
            <p className="hint">{who === null ? "Nobody is selected yet." : <>You will be <span className="strong">{feed.person(who)}</span> (person {who}).</>}</p></div>
        )}
        <fieldset className="radios"><legend>While you think</legend>
          <label><input type="radio" name="waits" checked={waits} onChange={() => setWaits(true)} /> The run waits for you</label>
          <label><input type="radio" name="waits" checked={!waits} onChange={() => setWaits(false)} /> It continues without you after
            <input className="short" aria-label="Seconds until it continues" inputMode="numeric" value={seconds} disabled={waits} onChange={(event) => setSeconds(event.target.value)} /> seconds</label>
        </fieldset>
        <Problem>{problem}</Problem>
        <div className="tools"><button type="submit" className="main" disabled={!ready}>Take this place</button></div>
      </form>
      <section className="card" aria-label="How taking part works">
        <Empty title="How taking part works">When your person wakes, you see what they see: recommendations, search results, friends and posts.
          Your actions are attempts; the simulation decides what happens, as for everyone else. You can look at other tabs, or close the page, and come back: your place is kept. Several people can take part at once, each in their own browser.</Empty>
      </section>
    </div>
  );
}

function Seated({ seat, take }: { seat: Seat; take: (seat: Seat | null) => void }) {
  const { feed } = useHere();
  const [turn, setTurn] = useState<Turn>({ seen: null, waiting: "", over: "" });
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const path = `${runPath(feed.id)}/play/${encodeURIComponent(seat.seat)}`;
  const taking = useRef(take);
  taking.current = take;
  useFeed(feed, 2);
  useEffect(() => {
    const following = follow(() => path, ({ event, data }) => {
      const found = JSON.parse(data) as Record<string, unknown>;
      setBusy(false);
      if (event === "observation") setTurn({ seen: found as unknown as Observation, waiting: "", over: "" });
      if (event === "waiting") setTurn({ seen: null, waiting: "Your turn is over.", over: "" });
      if (event === "over") {
        setTurn({ seen: null, waiting: "", over: found["left"] ? "You gave your place back." : "The run has stopped or ended." });
        following.close();
      }
    }, (link) => { if (link === "closed") setTurn((old) => (old.over ? old : { seen: null, waiting: "", over: "Your place is gone: the run was restarted, or somebody else has it." })); });
    return () => following.close();
  }, [path]);
  const act = async (action: Record<string, unknown>) => {
    setProblem(""); setBusy(true);
    try { await send(path, { action, number: turn.seen?.number ?? null }); } catch (failure) { setProblem(said(failure)); }
    setBusy(false);
  };
  const rise = async () => {
    try { await send(path, undefined, "DELETE"); } catch { /* a seat that is gone needs no giving back */ }
    taking.current(null);
  };
  const back = async () => {
    setProblem("");
    try { taking.current(await send<Seat>(`${runPath(feed.id)}/play`, { agent: seat.agent, deadline_s: null })); } catch (failure) { setProblem(said(failure)); }
  };
  return (
    <div className="play-screen">
      <header className="play-head">
        <div><h2>You are {seat.name || feed.person(seat.agent)}</h2>
          <p className="faint small">{turn.seen ? `Round ${turn.seen.round} · ${turn.seen.now}` : turn.over || turn.waiting || "Waiting until this person wakes …"}</p>
          <p className="small others" role="status">{turn.over ? "" : others(feed.control, turn.seen !== null)}</p></div>
        <Deadline key={turn.seen?.number ?? 0} seconds={turn.seen?.deadline ?? null} />
        <button type="button" onClick={() => void rise()}>Give the place back</button>
      </header>
      <Problem>{problem}</Problem>
      <div className="play-grid">
        <div className="stack">{turn.seen ? <Table seen={turn.seen} act={(action) => void act(action)} busy={busy} />
          : turn.over ? <section className="card"><Empty title="You do not take part any more">{turn.over}</Empty>
            <div className="tools centred"><button type="button" className="main" onClick={() => void back()}>Come back as {seat.name || feed.person(seat.agent)}</button></div></section>
            : <section className="card"><Empty title="Not your turn">{turn.waiting} People do not visit in every round; this page updates when your person wakes.</Empty></section>}</div>
        <aside className="stack">{turn.seen ? <Ways seen={turn.seen} act={(action) => void act(action)} busy={busy} /> : null}{turn.seen ? <Lived seen={turn.seen} /> : null}
          <Myself agent={seat.agent} turn={`${turn.seen?.round ?? feed.control?.round ?? 0}`} /></aside>
      </div>
    </div>
  );
}

/** What the others do while one thinks, or while one waits. */
export function others(control: Control | null, isMine: boolean): string {
  if (!control) return "";
  const left = control.visits_total - control.visits_done;
  const people = (many: number) => (many === 1 ? "1 person" : `${many.toLocaleString("en")} people`);
  if (isMine) return left > 1 ? `${people(left - 1)} of this round ${left === 2 ? "goes" : "go"} on when you are done.` : "Everybody else of this round is done; it ends when you are.";
  if (control.state === "paused") return "The run is paused: press Play above to go on.";
  return left > 0 ? `${people(left)} ${left === 1 ? "is" : "are"} still to visit in this round.` : "The next round is about to begin.";
}

function Deadline({ seconds }: { seconds: number | null }) {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    if (seconds === null) return;
    const ends = performance.now() + seconds * 1000;
    const timer = window.setInterval(() => setLeft(Math.max(0, (ends - performance.now()) / 1000)), 500);
    return () => window.clearInterval(timer);
  }, [seconds]);
  if (seconds === null || left === null) return null;
  return <span className={`deadline ${left < 10 ? "warn" : ""}`} role="timer">{Math.ceil(left)} s left</span>;
}
