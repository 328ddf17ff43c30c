// What a run was: its scenario as text, and key by key beside that of another run.

import { useState } from "react";
import { useAsked } from "../fold/store";
import { useHere } from "../parts/context";
import { address, choose, useParam } from "../parts/route";
import { Empty, Problem } from "../parts/ui";
import { get, query, runPath } from "../wire/api";
import type { ListedRun, RunScenario, ScenarioKey, ScenarioPair } from "../wire/types";

export function ScenarioTab() {
  const { feed } = useHere();
  const asked = useAsked((signal) => get<RunScenario>(`${runPath(feed.id)}/scenario`, signal), `${feed.id} ${feed.control?.round ?? 0}`);
  const others = useAsked((signal) => get<ListedRun[]>("/runs", signal), "runs");
  const [copied, setCopied] = useState(false);
  const found = asked.value;
  const copy = (text: string) => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <section className="card stack" aria-label="Scenario">
      <div className="row-between"><div><h2>Scenario</h2><p className="faint small">All that this run was made from. Save it as a file, and <code>audience run FILE.toml</code> lives it again.</p></div>
        <div className="tools">
          <label className="small">Beside <select value="" onChange={(event) => { location.hash = address({ screen: "compare", a: feed.id, b: event.target.value, chosen: { show: "scenario" } }); }}>
            <option value="">another run …</option>{(others.value ?? []).filter((one) => one.id !== feed.id).map((one) => <option key={one.id} value={one.id}>{one.id}</option>)}</select></label>
          <button type="button" disabled={!found} onClick={() => copy(found?.toml ?? "")}>{copied ? "Copied" : "Copy"}</button>
          <a className="button main" href={address({ screen: "new", chosen: { like: feed.id } })}>Clone with changes</a>
        </div></div>
      <Problem again={asked.again}>{asked.problem}</Problem>
      {found ? <pre className="code-box" tabIndex={0} aria-label="Scenario as text">{found.toml}</pre> : null}
    </section>
  );
}

/** The keys of two scenarios; by default only those that differ. */
export function ScenarioDiff({ a, b }: { a: string; b: string }) {
  const asked = useAsked((signal) => get<ScenarioPair>(`/compare/scenarios${query({ a, b })}`, signal), `${a} ${b}`);
  const [all] = useParam("keys", "");
  const keys = asked.value?.keys ?? [];
  const apart = keys.filter((one) => one.a !== one.b);
  const shown = all ? keys : apart;
  return (
    <section className="card stack" aria-label="Scenarios">
      <div className="row-between"><div><h2>Scenarios, key by key</h2>{asked.value ? <p className="faint small">{apart.length} of {keys.length} keys differ.</p> : null}</div>
        <label className="check small"><input type="checkbox" checked={!all} onChange={(event) => choose({ keys: event.target.checked ? null : "all" })} /> Differences only</label></div>
      <Problem again={asked.again}>{asked.problem}</Problem>
      {asked.value && !shown.length ? <Empty title="The same scenario">Both runs were made from the same scenario with the same seed; only what was changed on the way can tell them apart.</Empty> : null}
      {shown.length ? <Keys keys={shown} a={a} b={b} /> : null}
    </section>
  );
}

export function Keys({ keys, a, b }: { keys: ScenarioKey[]; a: string; b: string }) {
  return (
    <div className="table-box"><table className="keys-table"><thead><tr><th scope="col">Key</th><th scope="col">{a}</th><th scope="col">{b}</th></tr></thead>
      <tbody>{keys.map((one) => (
        <tr key={one.key}><th scope="row"><code>{one.key}</code></th><td className={one.a === one.b ? "faint" : "apart-a"}>{one.a ?? <span className="faint">not set</span>}</td>
          <td className={one.a === one.b ? "faint" : "apart-b"}>{one.b ?? <span className="faint">not set</span>}</td></tr>))}</tbody></table></div>
  );
}
