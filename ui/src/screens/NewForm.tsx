// The fields of a new run: who, what serves them, how they decide, and the model they decide by.

import { useId, useState } from "react";
import { FIRST, named, type Form } from "../fold/newRun";
import { Field } from "../parts/ui";
import { FIELDS } from "../parts/words";
import type { OwnRecommender, Session } from "../wire/types";
import { OwnRecommenders } from "./OwnRecommender";

const NEEDED: Record<string, string> = { path: "Folder or file of the data", name: "Name of the public dataset", url: "Address of the service" };
const GROUPS: Record<string, string> = { recommender: "recommenders", mind: "minds", memory: "memories", dataset: "datasets" };
type Key = Exclude<keyof Form, "others">;

export function FormFields({ form, set, session, wrong, arms }: {
  form: Form; set: (form: Form) => void; session: Session; wrong: (where: string) => string | undefined;
  /** Arms that differ in more than their recommender, which the form leaves as they are. */
  arms: string[];
}) {
  const [own, setOwn] = useState<OwnRecommender[]>([]);
  const typed = (key: Key, label: string, hint = "", kind = "text") => (
    <Field label={label} hint={hint} problem={wrong(key)}>
      {(id, told) => <input id={id} aria-describedby={told} aria-invalid={Boolean(wrong(key))} inputMode={kind === "number" ? "numeric" : undefined}
        value={form[key]} onChange={(event) => set({ ...form, [key]: event.target.value })} autoComplete="off" />}
    </Field>
  );
  const chosen = (key: Key, label: string, choices: string[], hint = "") => (
    <Field label={label} hint={<>{hint || FIELDS[label]} {session.about[GROUPS[key] ?? ""]?.[form[key]] ? <><span className="strong">{form[key]}</span>: {session.about[GROUPS[key] ?? ""]?.[form[key]]}</> : null}</>} problem={wrong(key)}>
      {(id, told) => (
        <select id={id} aria-describedby={told} value={form[key]} onChange={(event) => set({ ...form, [key]: event.target.value })}>
          {[...new Set([FIRST[key], form[key], ...choices])].sort().map((one) => <option key={one} value={one}>{one ? named(one, own) : "chosen for the data"}</option>)}
        </select>
      )}
    </Field>
  );
  const plain = session.recommenders.filter((kind) => !session.needs.recommenders?.[kind]);
  const comparable = [...new Set([...own.map((one) => one.kind), ...form.others, ...plain])].filter((kind) => kind !== form.recommender);
  const compare = (kind: string, isOn: boolean, from: Form = form): Form => ({
    ...from, others: isOn ? [...from.others, kind] : from.others.filter((one) => one !== kind), seeds: isOn && from.seeds === "1" ? "3" : from.seeds,
  });
  const add = (found: OwnRecommender[]) => {
    setOwn((old) => [...old.filter((one) => !found.some((each) => each.kind === one.kind)), ...found]);
    const first = found[0];
    if (first && !form.others.includes(first.kind) && form.recommender !== first.kind) set(compare(first.kind, true));
  };
  const drop = (kind: string) => {
    setOwn((old) => old.filter((one) => one.kind !== kind));
    set({ ...compare(kind, false), recommender: form.recommender === kind ? FIRST.recommender : form.recommender });
  };
  const needed = (group: string, key: "dataset" | "recommender", into: "dataset_needs" | "recommender_needs") => {
    const need = session.needs[group]?.[form[key]];
    return need ? typed(into, NEEDED[need] ?? need, `${form[key]} needs it`) : null;
  };
  const asks = ["llm", "tuned", "voiced"].includes(form.mind) || form.memory !== "none";
  return (
    <>
      {typed("title", "Title")}
      <div className="four">{typed("agents", "People", "", "number")}{typed("rounds", "Rounds", "", "number")}{typed("seed", "Seed", "", "number")}{typed("seeds", "Seeds", "", "number")}</div>
      <div className="two">{chosen("dataset", "Items and people", session.datasets)}
        {arms.length ? <div className="field"><span className="strong small">Arms</span><p className="hint">{arms.join(", ")} stay as they are, as they differ in more than their recommender. Change them under <b>Scenario file</b>.</p></div>
          : chosen("recommender", "Recommender", [...session.recommenders.filter((kind) => session.needs.recommenders?.[kind] !== "parts"), ...own.map((one) => one.kind)])}</div>
      {needed("datasets", "dataset", "dataset_needs")}{arms.length ? null : needed("recommenders", "recommender", "recommender_needs")}
      {arms.length ? null : (
        <fieldset className="kinds"><legend>Compare with</legend>
          {comparable.map((kind) => (
            <label key={kind}><input type="checkbox" checked={form.others.includes(kind)} onChange={(event) => set(compare(kind, event.target.checked))} /> {named(kind, own)}</label>))}
          {form.others.length ? <p className="hint">Each is an arm before the same people, and {named(form.recommender, own)} is what they are compared with. A verdict needs three seeds or more.</p> : null}
          {session.is_private ? <OwnRecommenders own={own} add={add} drop={drop} /> : null}
        </fieldset>
      )}
      <div className="two">{chosen("mind", "Mind", session.minds, "How people decide. Chosen for the data: grounded where there is a past, else rule.")}{chosen("memory", "Memory", session.memories, "How people remember.")}</div>
      {asks ? <ModelFields form={form} set={set} session={session} wrong={wrong} typed={typed} /> : null}
    </>
  );
}

const ELSEWHERE = "another address";

function ModelFields({ form, set, session, wrong, typed }: {
  form: Form; set: (form: Form) => void; session: Session; wrong: (where: string) => string | undefined;
  typed: (key: Key, label: string, hint?: string) => React.ReactNode;
}) {
  const offered = ["embedded", ...session.endpoints];
  const [isTyped, setIsTyped] = useState(form.llm !== "" && !offered.includes(form.llm));
  const list = useId();
  const models = session.models[form.llm] ?? [];
  const keys = Object.entries(session.keys).filter(([, isSet]) => isSet).map(([key]) => key);
  const choose = (picked: string) => {
    setIsTyped(picked === ELSEWHERE);
    const llm = picked === ELSEWHERE ? "" : picked;
    set({ ...form, llm, model: session.models[llm]?.[0] ?? "", key_env: session.endpoint_keys[llm] ?? "" });
  };
  return (
    <fieldset><legend>Language model</legend>
      <div className="two">
        <Field label="Endpoint" hint={session.is_private ? "Where the model answers" : "Those that this server offers"} problem={isTyped ? undefined : wrong("llm")}>
          {(id, told) => (
            <select id={id} aria-describedby={told} value={isTyped ? ELSEWHERE : form.llm} onChange={(event) => choose(event.target.value)}>
              <option value="">Choose one …</option>{offered.map((one) => <option key={one} value={one}>{one === "embedded" ? "the small embedded model" : one}</option>)}
              {session.is_private ? <option value={ELSEWHERE}>another address …</option> : null}
            </select>)}
        </Field>
        {session.is_private ? (
          <Field label="Model" hint="Leave empty for the first model that the endpoint lists" problem={wrong("model")}>
            {(id, told) => <><input id={id} aria-describedby={told} list={list} value={form.model} onChange={(event) => set({ ...form, model: event.target.value })} autoComplete="off" />
              <datalist id={list}>{models.map((one) => <option key={one} value={one} />)}</datalist></>}
          </Field>
        ) : models.length ? (
          <Field label="Model" problem={wrong("model")}>
            {(id) => <select id={id} value={form.model} onChange={(event) => set({ ...form, model: event.target.value })}>{models.map((one) => <option key={one}>{one}</option>)}</select>}
          </Field>
        ) : <span />}
      </div>
      {isTyped ? <div className="two">{typed("llm", "Address of the endpoint", "An OpenAI-compatible URL, as in http://127.0.0.1:8000/v1")}{typed("key_env", "Variable of its key", "The name of the environment variable; the key itself is never asked for")}</div> : null}
      <div className="two">{typed("budget", "Budget", "For example 2usd; the run stops when it is spent")}
        <p className="hint keys">{keys.length ? `Keys that are set: ${keys.join(", ")}` : session.is_private ? "No key is set in the environment." : ""}</p></div>
    </fieldset>
  );
}
