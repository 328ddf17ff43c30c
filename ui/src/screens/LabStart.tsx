// Starting a study or an evaluation: its main options, each with what it means.

import { useState } from "react";
import { said, useAsked } from "../fold/store";
import { Field, Problem, Sheet } from "../parts/ui";
import { get, send } from "../wire/api";
import type { LabJob, LabOffer, ListedRun, Session } from "../wire/types";

type Options = Record<"agents" | "people" | "rounds" | "seeds" | "seed" | "mind" | "data" | "run" | "llm" | "model" | "key_env", string>;
const NONE: Options = { agents: "", people: "", rounds: "", seeds: "", seed: "", mind: "", data: "", run: "", llm: "", model: "", key_env: "" };
const NUMBERS: [keyof Options, string][] = [["agents", "People"], ["people", "People"], ["rounds", "Rounds"], ["seeds", "Seeds"], ["seed", "Seed"]];
const SPEAKING = ["llm", "tuned", "voiced"];

/** What is sent: numbers as numbers, and nothing that was left empty. */
export function sent(offer: LabOffer, options: Options, quick: boolean): Record<string, unknown> {
  const numbers = new Set(NUMBERS.map(([key]) => key));
  const given = Object.entries(options).map(([key, value]) => [key, value.trim()] as const).filter(([, value]) => value !== "");
  return {
    kind: offer.kind, name: offer.name, ...(offer.takes.includes("quick") ? { quick } : {}),
    ...Object.fromEntries(given.map(([key, value]) => [key, numbers.has(key as keyof Options) && /^\d+$/.test(value) ? Number(value) : value])),
  };
}

export function LabStartSheet({ offer, session, close, done }: { offer: LabOffer; session: Session; close: () => void; done: () => void }) {
  const [options, setOptions] = useState(NONE);
  const [quick, setQuick] = useState(offer.takes.includes("quick"));
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const takes = (key: string) => offer.takes.includes(key);
  const set = (key: keyof Options, value: string) => setOptions({ ...options, [key]: value });
  const typed = (key: keyof Options, label: string, hint = "", placeholder = "") => (
    <Field label={label} hint={hint}>{(id, told) => <input id={id} aria-describedby={told} value={options[key]} placeholder={placeholder} onChange={(event) => set(key, event.target.value)} autoComplete="off" />}</Field>
  );
  const asks = offer.needs.includes("model") || SPEAKING.some((one) => options.mind.split(",").some((mind) => mind.trim().startsWith(one)));
  const start = async () => {
    setBusy(true); setProblem("");
    try { await send<LabJob>("/lab/jobs", sent(offer, options, quick)); done(); } catch (failure) { setProblem(said(failure)); setBusy(false); }
  };
  const counts = NUMBERS.filter(([key]) => takes(key));
  return (
    <Sheet title={`Start ${offer.name}`} close={close}>
      <form className="stack" onSubmit={(event) => { event.preventDefault(); void start(); }}>
        <p>{offer.question}</p>
        {takes("quick") ? (
          <fieldset className="radios"><legend>How large</legend>
            <label><input type="radio" name="size" checked={quick} onChange={() => setQuick(true)} /> Quick: 60 people, 4 rounds, 3 seeds, {offer.quick}. Shows that it works; too small to find effects.</label>
            <label><input type="radio" name="size" checked={!quick} onChange={() => setQuick(false)} /> Full, {offer.full} with rule minds</label></fieldset>
        ) : <p className="faint small">Takes {offer.full}.</p>}
        {takes("data") && session.is_private ? typed("data", offer.needs.includes("data") ? "Data" : "Data, if other than the usual", "A folder or file on this machine, or a published name such as ml-1m", offer.needs.includes("data") ? "" : "films") : null}
        {takes("run") ? <RunField value={options.run} set={(value) => set("run", value)} /> : null}
        {counts.length ? <div className="four">{counts.map(([key, label]) => <div key={key}>{typed(key, label, "", "as usual")}</div>)}</div> : null}
        {takes("mind") ? <MindField offer={offer} session={session} value={options.mind} set={(value) => set("mind", value)} /> : null}
        {asks && session.is_private ? (
          <div className="two">
            <Field label="Endpoint" hint="An OpenAI-compatible URL, or embedded">{(id, told) => <><input id={id} aria-describedby={told} list="lab-endpoints" value={options.llm} onChange={(event) => set("llm", event.target.value)} autoComplete="off" />
              <datalist id="lab-endpoints">{["embedded", ...session.endpoints].map((one) => <option key={one} value={one} />)}</datalist></>}</Field>
            {typed("model", "Model", "Empty: the first that it lists")}
          </div>
        ) : null}
        <Problem>{problem}</Problem>
        <div className="tools"><button type="submit" className="main" disabled={busy}>Start</button><button type="button" className="quiet" onClick={close}>Not now</button>
          <span className="faint small">One runs at a time; others wait for their turn.</span></div>
      </form>
    </Sheet>
  );
}

function MindField({ offer, session, value, set }: { offer: LabOffer; session: Session; value: string; set: (value: string) => void }) {
  const minds = session.is_private ? session.minds : ["rule", "grounded", "recsim"];
  if (offer.kind === "evaluation") {
    return <Field label="Minds" hint="One or several with commas: grounded, rule, llm, llm+evidence">{(id, told) => <input id={id} aria-describedby={told} value={value} placeholder="as usual" onChange={(event) => set(event.target.value)} autoComplete="off" />}</Field>;
  }
  return (
    <Field label="Mind" hint="How people decide in every arm">{(id, told) => (
      <select id={id} aria-describedby={told} value={value} onChange={(event) => set(event.target.value)}><option value="">as the study has it</option>{minds.map((one) => <option key={one}>{one}</option>)}</select>)}</Field>
  );
}

function RunField({ value, set }: { value: string; set: (value: string) => void }) {
  const runs = useAsked((signal) => get<ListedRun[]>("/runs", signal), "runs");
  return (
    <Field label="Run" hint="One in which people wrote something">{(id, told) => (
      <select id={id} aria-describedby={told} value={value} onChange={(event) => set(event.target.value)}><option value="">Choose a run …</option>{(runs.value ?? []).map((one) => <option key={one.id}>{one.id}</option>)}</select>)}</Field>
  );
}
