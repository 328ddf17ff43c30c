// Play, pause, step, speed, stop, reset; progress and what it has cost; the scrubber through rounds.

import { useState } from "react";
import type { Feed } from "../fold/feed";
import { said, useFeed } from "../fold/store";
import { useHere } from "../parts/context";
import { count, duration, money } from "../parts/format";
import { address } from "../parts/route";
import { WordTip } from "../parts/Tip";
import { Field, Problem, Sheet, StateMark } from "../parts/ui";
import { runPath, send } from "../wire/api";
import type { Control } from "../wire/types";

export type Deed = "play" | "pause" | "step_visit" | "step_round" | "stop" | "reset" | "speed";

export interface Controls {
  act(deed: Deed, more?: { speed?: number; rounds?: number }): void;
  problem: string;
}

export function useControl(feed: Feed): Controls {
  const [problem, setProblem] = useState("");
  const act: Controls["act"] = (deed, more) => {
    setProblem("");
    send(`${runPath(feed.id)}/control`, { do: deed, ...more }).then(
      () => undefined,
      (failure: unknown) => setProblem(said(failure)),
    );
  };
  return { act, problem };
}

const SPEEDS = [1, 2, 5, 10, 25, 50, 100, 0];
const speedName = (speed: number): string => (speed ? `${speed} visits/s` : "full speed");

export function ControlBar({ control }: { control: Controls }) {
  const { feed } = useHere();
  useFeed(feed, 5);
  const now = feed.control;
  const [asking, setAsking] = useState<"" | "reset" | "more">("");
  if (!now) return null;
  const over = now.state === "finished";
  const locked = now.state === "elsewhere";
  const going = now.state === "running" || now.state === "waiting";
  return (
    <section className="control" aria-label="Control">
      <div className="control-row">
        <div className="buttons" role="group" aria-label="Run controls">
          {going
            ? <button type="button" className="main play" disabled={locked} onClick={() => control.act("pause")} title="Pause (Space)"><b aria-hidden="true">❚❚</b>Pause</button>
            : <button type="button" className="main play" disabled={locked || over} onClick={() => control.act("play")} title="Play (Space)"><b aria-hidden="true">▶</b>Play</button>}
          {now.state === "finished" ? <button type="button" onClick={() => setAsking("more")}>More rounds</button> : null}
          <button type="button" disabled={locked || over} onClick={() => control.act("step_visit")} title="Step one visit (.)">+ visit</button>
          <button type="button" disabled={locked || over} onClick={() => control.act("step_round")} title="Step one round (,)">+ round</button>
          <label className="hidden" htmlFor="speed">Speed</label>
          <select id="speed" disabled={locked || over} value={now.speed}
            onChange={(event) => control.act("speed", { speed: Number(event.target.value) })}>
            {(SPEEDS.includes(now.speed) ? SPEEDS : [now.speed, ...SPEEDS]).map((one) => <option key={one} value={one}>{speedName(one)}</option>)}
          </select>
          {now.speed && going ? <button type="button" onClick={() => control.act("speed", { speed: 0 })}>Full speed</button> : null}
          <button type="button" disabled={locked || over || now.state === "stopped"} onClick={() => control.act("stop")} title="Stop; the run can be resumed">Stop</button>
          <button type="button" disabled={locked} onClick={() => setAsking("reset")} title="Back to the start">Reset</button>
        </div>
        <div role="status"><StateMark state={now.state} /></div>
        <LinkMark link={feed.link} />
        <Figures now={now} id={feed.id} />
      </div>
      <Scrubber now={now} />
      <Problem>{control.problem || now.error}</Problem>
      {now.error && !going ? <Remedy id={feed.id} state={now.state} error={now.error} /> : null}
      {asking === "more" ? <More now={now} close={() => setAsking("")} go={(rounds) => { setAsking(""); control.act("play", { rounds }); }} /> : null}
      {asking === "reset" ? (
        <Sheet title="Back to the start?" close={() => setAsking("")}>
          <p>Everything that happened in this run is taken back, and it begins anew with the same people and the same dice.
            To keep what was lived, branch at round 0 instead.</p>
          <div className="tools">
            <button type="button" className="main" onClick={() => { setAsking(""); control.act("reset"); }}>Reset</button>
            <button type="button" onClick={() => setAsking("")}>Cancel</button>
          </div>
        </Sheet>
      ) : null}
    </section>
  );
}

function More({ now, close, go }: { now: Control; close: () => void; go: (rounds: number) => void }) {
  const [typed, setTyped] = useState("5");
  const more = /^\d+$/.test(typed) ? Number(typed) : 0;
  return (
    <Sheet title="Go on" close={close}>
      <form className="stack" onSubmit={(event) => { event.preventDefault(); if (more) go(now.rounds + more); }}>
        <Field label="Rounds to add" hint={`The run continues after round ${now.rounds}, as if it had been planned longer.`}>
          {(id, told) => <input id={id} aria-describedby={told} inputMode="numeric" value={typed} onChange={(event) => setTyped(event.target.value)} />}</Field>
        <div className="tools"><button type="submit" className="main" disabled={!more}>Continue</button></div>
      </form>
    </Sheet>
  );
}

function LinkMark({ link }: { link: string }) {
  if (link === "open") return null;
  const told = link === "lost" ? "Connection lost, trying again …" : link === "connecting" ? "Connecting …" : "Not connected";
  return <span className="link-mark" role="status">{told}</span>;
}

/** Failures lead to the people who had them, calls to their prompts. */
function linked(id: string, label: string, now: Control, value: string) {
  if (label === "Failures" && now.failures) {
    return <a href={address({ screen: "run", id, tab: "people", chosen: { only: "failed" } })}>{value}</a>;
  }
  return label === "Calls" && now.calls ? <a href={address({ screen: "run", id, tab: "calls" })}>{value}</a> : value;
}

function Figures({ now, id }: { now: Control; id: string }) {
  const figures: [string, string][] = [
    ["Left", now.state === "finished" ? "done" : duration(now.eta_s)],
    ["Calls", count(now.calls) + (now.reused ? ` + ${count(now.reused)}` : "") + (now.failed_calls ? `, ${count(now.failed_calls)} failed` : "")],
    ["Tokens", count(now.tokens)], ["Cost", money(now.cost)], ["Failures", count(now.failures)],
  ];
  return (
    <dl className="inline-figures">
      {figures.map(([label, value]) => (
        <div key={label} className={label === "Failures" && now.failures ? "warn" : ""}
          title={label === "Calls" && now.reused ? "made + reused" : label === "Failures" ? "decisions and pages that failed" : undefined}><dt>{label}<WordTip of={label} /></dt><dd>{linked(id, label, now, value)}</dd></div>
      ))}
    </dl>
  );
}

function Scrubber({ now }: { now: Control }) {
  const { at, travel } = useHere();
  const share = now.visits_total ? now.visits_done / now.visits_total : 0;
  const over = now.state === "finished";
  const done = now.rounds ? Math.min(1, (over ? now.rounds : Math.max(0, now.round - 1) + share) / now.rounds) : 0;
  return (
    <div className="scrub">
      <progress className="progress" max={1} value={done} aria-label={`Progress: round ${now.round} of ${now.rounds}`} />
      <input type="range" min={0} max={now.rounds || 1} step={1} value={at ?? now.round} aria-label="Travel to a round"
        aria-valuetext={at === null ? `the latest, round ${now.round}` : `round ${at}`}
        onChange={(event) => { const to = Number(event.target.value); travel(to >= now.round ? null : to); }} />
      <span className="scrub-told small">
        {at === null
          ? <>Round <b>{now.round}</b> of {now.rounds}{now.visits_total ? <span className="faint"> · visit {count(now.visits_done)} of {count(now.visits_total)}</span> : null}</>
          : <>Viewing round <b>{at}</b> <button type="button" className="link" onClick={() => travel(null)}>back to the latest</button></>}
      </span>
    </div>
  );
}

/** What to do about a run that failed or had to stop. */
function Remedy({ id, state, error }: { id: string; state: string; error: string }) {
  const like = <a href={address({ screen: "new", chosen: { like: id } })}>start a run like this one</a>;
  if (error.includes("budget is spent")) return <p className="hint remedy">Press Play to go on without a budget, or {like} with a larger one.</p>;
  if (state === "failed") return <p className="hint remedy">Everything up to the last complete visit is kept. Once it is fixed, press Play to go on, or {like} with another recommender or model.</p>;
  return <p className="hint remedy">Once that is fixed, press Play to go on from here, or {like} with another model.</p>;
}
