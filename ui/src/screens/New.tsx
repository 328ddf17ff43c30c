// A new run: from a scenario or a form, checked as one types, with what it will cost.

import { useEffect, useState } from "react";
import { said, useAsked, useSettled } from "../fold/store";
import { count, duration, money } from "../parts/format";
import { go } from "../parts/route";
import { Field, Problem, Tabs } from "../parts/ui";
import { FIELDS } from "../parts/words";
import { get, send } from "../wire/api";
import { SpeedField, type Speed } from "./SpeedField";
import type { Check, ScenarioRow, Session, StartedRun } from "../wire/types";

interface Form {
  title: string; agents: string; rounds: string; seed: string; seeds: string;
  /** Recommenders to compare the first with. */
  others: string[];
  dataset: string; recommender: string;
  mind: string; memory: string; llm: string; model: string; budget: string;
  /** What a dataset or a recommender needs to be made, such as a path. */
  dataset_needs: string; recommender_needs: string;
}

const FIRST: Form = {
  title: "A first look", agents: "200", rounds: "10", seed: "1", seeds: "1", others: [], dataset: "films", recommender: "popular",
  mind: "", memory: "none", llm: "", model: "", budget: "", dataset_needs: "", recommender_needs: "",
};

const GROUPS: Record<string, string> = { recommender: "recommenders", mind: "minds", memory: "memories", dataset: "datasets" };
const NEEDED: Record<string, string> = { path: "Folder or file of the data", name: "Name of the public dataset", url: "Address of the service" };

type Way = "form" | "toml";

function body(way: Way, form: Form, toml: string, needs: Session["needs"]): unknown {
  if (way === "toml") return { toml };
  const { agents, rounds, seed, seeds, others, dataset, dataset_needs, recommender, recommender_needs, ...rest } = form;
  const part = (group: string, kind: string, given: string) => {
    const need = needs[group]?.[kind];
    return need && given ? { kind, [need]: given } : kind;
  };
  const words = {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== "")),
    dataset: part("datasets", dataset, dataset_needs),
    ...(others.length ? { recommenders: [recommender, ...others] } : { recommender: part("recommenders", recommender, recommender_needs) }),
  };
  const numbers = Object.fromEntries(Object.entries({ agents, rounds, seed, seeds }).map(([key, value]) => [key, whole(value)]));
  return { form: { ...words, ...numbers } };
}

/** What can be seen without asking: numbers that are none. */
export function mistakes(form: Pick<Form, "agents" | "rounds" | "seed" | "seeds">): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [key, least] of [["agents", 1], ["rounds", 1], ["seed", 0], ["seeds", 1]] as const) {
    const typed = form[key].trim();
    if (!/^\d+$/.test(typed) || Number(typed) < least) found[key] = `Must be a whole number, at least ${least}`;
  }
  return found;
}

const whole = (typed: string): number | string => (/^\d+$/.test(typed.trim()) ? Number(typed) : typed);

export function NewScreen({ session, from }: { session: Session; from: string }) {
  const [way, setWay] = useState<Way>(from ? "toml" : "form");
  const [form, setForm] = useState(FIRST);
  const [toml, setToml] = useState("");
  const [name, setName] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const [speed, setSpeed] = useState<Speed>("watchable");
  const scenarios = useAsked((signal) => get<ScenarioRow[]>("/scenarios", signal), "scenarios");
  const begun = scenarios.value?.find((one) => one.name === from)?.toml;
  useEffect(() => { if (begun) { setToml(begun); setWay("toml"); } }, [begun]);
  const wanted = JSON.stringify(body(way, form, toml, session.needs));
  const settled = useSettled(wanted);
  const check = useAsked(
    (way === "toml" && !toml.trim()) || (way === "form" && Object.keys(mistakes(form)).length) ? null : () => send<Check>("/scenarios/check", JSON.parse(settled)), settled,
  );
  const own = way === "form" ? mistakes(form) : {};
  const found = settled === wanted && !Object.keys(own).length ? check.value : null;
  const wrong = (where: string) => own[where] ?? found?.problems.find((one) => one.where === where || one.where.endsWith(`.${where}`))?.message;
  const start = async (paused: boolean) => {
    setBusy(true);
    setProblem("");
    try {
      const made = await send<StartedRun>("/runs", {
        ...(body(way, form, toml, session.needs) as object), ...(name.trim() ? { name: name.trim() } : {}), paused, speed,
      });
      go(made.experiment ? { screen: "experiment", id: made.experiment } : { screen: "run", id: made.id, tab: "watch" });
    } catch (failure) {
      setProblem(said(failure));
      setBusy(false);
    }
  };
  const toFile = (text: string) => { setToml(text); setWay("toml"); };
  return (
    <div className="page narrow">
      <div className="page-head"><div><h1>New run</h1><p className="faint">Choose the audience, the recommender and how people decide.</p></div></div>
      <Tabs label="Form or file" chosen={way} choose={(next) => { if (next === "toml" && !toml && found?.toml) setToml(found.toml); setWay(next); }}
        choices={[{ is: "form", name: "Form" }, { is: "toml", name: "Scenario file" }]} />
      <div className="new-grid">
        <form className="card" onSubmit={(event) => { event.preventDefault(); void start(false); }}>
          {way === "form"
            ? <FormFields form={form} set={setForm} session={session} wrong={wrong} />
            : <FileFields toml={toml} set={setToml} scenarios={scenarios.value ?? []} />}
          <Field label="Name of the run" hint="Also its folder. Leave empty to derive it from the title.">
            {(id, told) => <input id={id} aria-describedby={told} value={name} onChange={(event) => setName(event.target.value)} autoComplete="off" />}
          </Field>
          <SpeedField speed={speed} set={setSpeed} />
          <Problem>{problem}</Problem>
          <div className="tools">
            <button type="submit" className="main" disabled={busy || !found?.ok}>Start</button>
            <button type="button" disabled={busy || !found?.ok} onClick={() => void start(true)}>Start paused</button>
          </div>
        </form>
        <Aside found={found} problem={Object.keys(own).length ? "Some fields are not valid." : check.problem} scenarios={scenarios.value ?? []} take={toFile} />
      </div>
    </div>
  );
}

function Aside({ found, problem, scenarios, take }: {
  found: Check | null; problem: string; scenarios: ScenarioRow[]; take: (toml: string) => void;
}) {
  return (
    <aside className="stack">
      <section className="card" aria-live="polite" aria-label="Check">
        <h2>Before it starts</h2>
        {problem ? <Problem>{problem}</Problem> : found ? <Verdict found={found} /> : <p className="faint">Checking …</p>}
      </section>
      <section className="card" aria-label="Scenarios">
        <h2>Scenarios</h2>
        {scenarios.length ? null : <p className="faint">None found.</p>}
        <ul className="plain">{scenarios.map((one) => (
          <li key={one.name}><button type="button" className="row" onClick={() => take(one.toml)}>
            <span className="strong">{one.title}</span><span className="faint small">{one.name}</span></button></li>
        ))}</ul>
      </section>
    </aside>
  );
}

function Verdict({ found }: { found: Check }) {
  if (!found.ok) {
    return (
      <ul className="plain problems">{found.problems.map((one, at) => (
        <li key={at}><span className="strong">{one.where || "scenario"}</span> {one.message}</li>
      ))}</ul>
    );
  }
  const cost = found.estimate;
  return (
    <>
      <p className="good">Ready to start.</p>
      {cost ? (
        <dl className="figures">
          <div><dt>Calls</dt><dd>{count(cost.calls)}</dd></div>
          <div><dt>Tokens</dt><dd>{count(cost.tokens)}</dd></div>
          <div><dt>Cost</dt><dd>{cost.calls ? money(cost.cost) : "free"}</dd></div>
          <div title={cost.speed || undefined}><dt>Time</dt><dd>{cost.seconds == null ? "unknown" : duration(cost.seconds)}</dd></div>
        </dl>
      ) : <p className="faint">No estimate available.</p>}
      {cost?.speed ? <p className="faint">{cost.seconds == null ? `No time can be told: ${cost.speed}` : `Time: ${cost.speed}.`}</p> : null}
    </>
  );
}

function FileFields({ toml, set, scenarios }: { toml: string; set: (toml: string) => void; scenarios: ScenarioRow[] }) {
  return (
    <>
      <Field label="Start from">
        {(id) => (
          <select id={id} value="" onChange={(event) => set(scenarios.find((one) => one.name === event.target.value)?.toml ?? toml)}>
            <option value="">Choose a scenario …</option>
            {scenarios.map((one) => <option key={one.name} value={one.name}>{one.title}</option>)}
          </select>
        )}
      </Field>
      <Field label="Scenario, in TOML">
        {(id) => <textarea id={id} className="code" rows={20} spellCheck={false} value={toml} onChange={(event) => set(event.target.value)} />}
      </Field>
    </>
  );
}

function FormFields({ form, set, session, wrong }: {
  form: Form; set: (form: Form) => void; session: Session; wrong: (where: string) => string | undefined;
}) {
  const typed = (key: Exclude<keyof Form, "others">, label: string, hint = "", kind = "text") => (
    <Field label={label} hint={hint} problem={wrong(key)}>
      {(id, told) => <input id={id} aria-describedby={told} aria-invalid={Boolean(wrong(key))} inputMode={kind === "number" ? "numeric" : undefined}
        value={form[key]} onChange={(event) => set({ ...form, [key]: event.target.value })} autoComplete="off" />}
    </Field>
  );
  const chosen = (key: Exclude<keyof Form, "others">, label: string, choices: string[], hint = "") => (
    <Field label={label} hint={<>{hint || FIELDS[label]} {session.about[GROUPS[key] ?? ""]?.[form[key]] ? <><span className="strong">{form[key]}</span>: {session.about[GROUPS[key] ?? ""]?.[form[key]]}</> : null}</>} problem={wrong(key)}>
      {(id, told) => (
        <select id={id} aria-describedby={told} value={form[key]} onChange={(event) => set({ ...form, [key]: event.target.value })}>
          {[...new Set([FIRST[key], form[key], ...choices])].sort().map((one) => <option key={one} value={one}>{one || "chosen for the data"}</option>)}
        </select>
      )}
    </Field>
  );
  const plain = session.recommenders.filter((kind) => !session.needs.recommenders?.[kind]);
  const needed = (group: string, key: "dataset" | "recommender", into: "dataset_needs" | "recommender_needs") => {
    const need = session.needs[group]?.[form[key]];
    return need ? typed(into, NEEDED[need] ?? need, `${form[key]} needs it`) : null;
  };
  const asks = form.mind === "llm" || form.mind === "voiced" || form.memory !== "none";
  const keys = Object.entries(session.keys).filter(([, isSet]) => isSet).map(([key]) => key);
  return (
    <>
      {typed("title", "Title")}
      <div className="four">{typed("agents", "People", "", "number")}{typed("rounds", "Rounds", "", "number")}{typed("seed", "Seed", "", "number")}{typed("seeds", "Seeds", "", "number")}</div>
      <div className="two">{chosen("dataset", "Items and people", session.datasets)}{chosen("recommender", "Recommender", session.recommenders.filter((kind) => session.needs.recommenders?.[kind] !== "parts"))}</div>
      <fieldset className="kinds"><legend>Compare with</legend>
        {plain.filter((kind) => kind !== form.recommender).map((kind) => (
          <label key={kind}><input type="checkbox" checked={form.others.includes(kind)}
            onChange={(event) => set({ ...form, others: event.target.checked ? [...form.others, kind] : form.others.filter((one) => one !== kind), seeds: event.target.checked && form.seeds === "1" ? "3" : form.seeds })} /> {kind}</label>))}
        {form.others.length ? <p className="hint">Each is an arm before the same people; a verdict needs three seeds or more. A file or service of your own: <b>Scenario file</b>.</p> : null}
      </fieldset>
      {needed("datasets", "dataset", "dataset_needs")}{needed("recommenders", "recommender", "recommender_needs")}
      <div className="two">{chosen("mind", "Mind", session.minds, "How people decide. Chosen for the data: grounded where there is a past, else rule")}{chosen("memory", "Memory", session.memories, "How people remember")}</div>
      {asks ? (
        <fieldset><legend>Language model</legend>
          <div className="two">{typed("llm", "Endpoint", "An OpenAI-compatible URL, or embedded for the small embedded model")}{typed("model", "Model", "Leave empty for the first model that the endpoint lists")}</div>
          <div className="two">{typed("budget", "Budget", "For example 2usd; the run stops when it is spent")}
            <p className="hint keys">{keys.length ? `Keys that are set: ${keys.join(", ")}` : "No key is set in the environment."}</p></div>
        </fieldset>
      ) : null}
    </>
  );
}
