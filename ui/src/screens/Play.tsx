// Taking a person's place, or joining as somebody new; the run waits, or goes on after a deadline.

import { useEffect, useRef, useState } from "react";
import { said } from "../fold/store";
import { useHere } from "../parts/context";
import { useNumber } from "../parts/route";
import { Empty, Field, Problem } from "../parts/ui";
import { FindPerson } from "../watch/FindPerson";
import { runPath, send } from "../wire/api";
import { follow } from "../wire/stream";
import type { Observation, Seat } from "../wire/types";
import { Table } from "./PlayTable";

export interface Turn {
  seen: Observation | null;
  waiting: string;
  over: string;
}

const KEPT = "audience-seat";

function kept(run: string): Seat | null {
  const found = sessionStorage.getItem(`${KEPT} ${run}`);
  return found ? (JSON.parse(found) as Seat) : null;
}

export function PlayTab() {
  const { feed } = useHere();
  const [seat, setSeat] = useState<Seat | null>(() => kept(feed.id));
  const take = (next: Seat | null) => {
    if (next) sessionStorage.setItem(`${KEPT} ${feed.id}`, JSON.stringify(next));
    else sessionStorage.removeItem(`${KEPT} ${feed.id}`);
    setSeat(next);
  };
  return seat ? <Seated key={seat.seat} seat={seat} leave={() => take(null)} /> : <Door take={take} />;
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
        <h2>Play a person</h2>
        {feed.control?.state === "finished" ? <p className="hint">This run has reached its last round. Extend it with <b>More rounds</b> above, then play.</p> : null}
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
        <div className="tools"><button type="submit" className="main" disabled={!ready}>Start playing</button></div>
      </form>
      <section className="card" aria-label="How playing works">
        <Empty title="How playing works">When your person wakes, you see what they see: recommendations, search results, friends and posts.
          Your actions are attempts; the simulation decides what happens, as for everyone else. Several people can play at once, each in their own browser.</Empty>
      </section>
    </div>
  );
}

function Seated({ seat, leave }: { seat: Seat; leave: () => void }) {
  const { feed } = useHere();
  const [turn, setTurn] = useState<Turn>({ seen: null, waiting: "", over: "" });
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const path = `${runPath(feed.id)}/play/${encodeURIComponent(seat.seat)}`;
  const leaving = useRef(leave);
  leaving.current = leave;
  useEffect(() => {
    const following = follow(() => path, ({ event, data }) => {
      const found = JSON.parse(data) as Record<string, unknown>;
      setBusy(false);
      if (event === "observation") setTurn({ seen: found as unknown as Observation, waiting: "", over: "" });
      if (event === "waiting") setTurn({ seen: null, waiting: "Waiting for your next turn …", over: "" });
      if (event === "over") {
        setTurn({ seen: null, waiting: "", over: found["left"] ? "You stopped playing." : "The run has stopped or ended." });
        following.close();
      }
    }, (link) => { if (link === "closed") setTurn((old) => (old.over ? old : { seen: null, waiting: "", over: "You are no longer playing this person." })); });
    return () => following.close();
  }, [path]);
  const act = async (action: Record<string, unknown>) => {
    setProblem(""); setBusy(true);
    try { await send(path, { action, number: turn.seen?.number ?? null }); } catch (failure) { setProblem(said(failure)); }
    setBusy(false);
  };
  const rise = async () => {
    try { await send(path, undefined, "DELETE"); } catch { /* a seat that is gone needs no giving back */ }
    leaving.current();
  };
  return (
    <div className="play-screen">
      <header className="play-head">
        <div><h2>You are {seat.name || feed.person(seat.agent)}</h2>
          <p className="faint small">{turn.seen ? `Round ${turn.seen.round} · ${turn.seen.now}` : turn.over || turn.waiting || "Waiting until this person wakes …"}</p></div>
        <Deadline key={turn.seen?.number ?? 0} seconds={turn.seen?.deadline ?? null} />
        <button type="button" onClick={() => void rise()}>Stop playing</button>
      </header>
      <Problem>{problem}</Problem>
      {turn.seen ? <Table seen={turn.seen} act={(action) => void act(action)} busy={busy} />
        : turn.over ? <Empty title="Playing has ended">{turn.over}</Empty>
          : <Empty title="Not your turn">{turn.waiting || "People do not visit in every round. Press Play above if the run is paused; this page updates when your person wakes."}</Empty>}
    </div>
  );
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
