// A new run: from a scenario, a form or another run, checked as one types, with what it will cost.

import { useEffect, useState } from "react";
import { FIRST, body, filled, mistakes, type Way } from "../fold/newRun";
import { said, useAsked, useSettled } from "../fold/store";
import { count, duration, money } from "../parts/format";
import { address, go, useParam } from "../parts/route";
import { Field, Problem, Tabs } from "../parts/ui";
import { get, runPath, send } from "../wire/api";
import type { Check, RunScenario, ScenarioRow, Session, StartedRun } from "../wire/types";
import { FormFields } from "./NewForm";
import { Keys } from "./Scenario";
import { SpeedField, type Speed } from "./SpeedField";

export function NewScreen({ session, from }: { session: Session; from: string }) {
  const [like] = useParam("like", "");
  const origin = useAsked(like ? (signal) => get<RunScenario>(`${runPath(like)}/scenario`, signal) : null, like);
  if (!like) return <NewRun session={session} from={from} like={null} />;
  if (!origin.value) {
    return <div className="page"><Problem again={origin.again}>{origin.problem}</Problem>{origin.problem ? <p><a href="#/">All runs</a></p> : <p className="faint" role="status">Reading the scenario of {like} …</p>}</div>;
  }
  return <NewRun key={like} session={session} from="" like={origin.value} />;
}

function NewRun({ session, from, like }: { session: Session; from: string; like: RunScenario | null }) {
  const [way, setWay] = useState<Way>(from ? "toml" : "form");
  const [form, setForm] = useState(like ? filled(like) : FIRST);
  const [toml, setToml] = useState(like?.toml ?? "");
  const [name, setName] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const [speed, setSpeed] = useState<Speed>("watchable");
  const scenarios = useAsked((signal) => get<ScenarioRow[]>("/scenarios", signal), "scenarios");
  const begun = scenarios.value?.find((one) => one.name === from)?.toml;
  useEffect(() => { if (begun) { setToml(begun); setWay("toml"); } }, [begun]);
  const wanted = JSON.stringify(body(way, form, toml, session.needs, like));
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
        ...body(way, form, toml, session.needs, like), ...(name.trim() ? { name: name.trim() } : {}), paused, speed,
      });
      go(made.experiment ? { screen: "experiment", id: made.experiment } : { screen: "run", id: made.id, tab: "watch" });
    } catch (failure) {
      setProblem(said(failure));
      setBusy(false);
    }
  };
  const toFile = (text: string) => { setToml(text); setWay("toml"); };
  const arms = like && !like.is_plain ? like.form.recommenders : [];
  return (
    <div className="page narrow">
      <div className="page-head"><div><h1>{like ? `A run like ${like.id}` : "New run"}</h1>
        <p className="faint">{like ? <>Change what you like; everything else stays as it was in <a href={whence(like)}>{like.id}</a>.</> : "Choose the audience, the recommender and how people decide."}</p></div></div>
      <Tabs label="Form or file" chosen={way} choose={(next) => { if (next === "toml" && found?.toml && (!toml || like)) setToml(found.toml); setWay(next); }}
        choices={[{ is: "form", name: "Form" }, { is: "toml", name: "Scenario file" }]} />
      <div className="new-grid">
        <form className="card" onSubmit={(event) => { event.preventDefault(); void start(false); }}>
          {way === "form"
            ? <FormFields form={form} set={setForm} session={session} wrong={wrong} arms={arms} />
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
        <Aside found={found} problem={Object.keys(own).length ? "Some fields are not valid." : check.problem} scenarios={like ? [] : scenarios.value ?? []} take={toFile} like={like} />
      </div>
    </div>
  );
}

/** Where one reads what a run or an experiment was. */
function whence(like: RunScenario): string {
  const isExperiment = like.form.recommenders.length > 1 || like.form.seeds > 1 || !like.is_plain;
  return isExperiment ? address({ screen: "experiment", id: like.id, chosen: { show: "scenario" } }) : address({ screen: "run", id: like.id, tab: "scenario" });
}

function Aside({ found, problem, scenarios, take, like }: {
  found: Check | null; problem: string; scenarios: ScenarioRow[]; take: (toml: string) => void; like: RunScenario | null;
}) {
  return (
    <aside className="stack">
      <section className="card" aria-live="polite" aria-label="Check">
        <h2>Before it starts</h2>
        {problem ? <Problem>{problem}</Problem> : found ? <Verdict found={found} /> : <p className="faint">Checking …</p>}
      </section>
      {like ? (
        <section className="card" aria-live="polite" aria-label="Changes"><h2>What differs from {like.id}</h2>
          {found?.differences ? (found.differences.length ? <Keys keys={found.differences} a="before" b="now" /> : <p className="faint">Nothing: it will be lived again in the same way.</p>) : <p className="faint">–</p>}
        </section>
      ) : (
        <section className="card" aria-label="Scenarios">
          <h2>Scenarios</h2>
          {scenarios.length ? null : <p className="faint">None found.</p>}
          <ul className="plain">{scenarios.map((one) => (
            <li key={one.name}><button type="button" className="row" onClick={() => take(one.toml)}>
              <span className="strong">{one.title}</span><span className="faint small">{one.name}</span></button></li>
          ))}</ul>
        </section>
      )}
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
