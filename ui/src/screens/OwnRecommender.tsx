// A recommender of one's own: a Python file that is uploaded, or a service by its address; both can be tried.

import { useId, useState } from "react";
import { said } from "../fold/store";
import { Field, Problem } from "../parts/ui";
import { send } from "../wire/api";
import type { OwnRecommender, Tried, Uploaded } from "../wire/types";

const LARGEST = 200_000;

/** Add a file or a service; `add` gets what was found in it. */
export function OwnRecommenders({ own, add, drop }: { own: OwnRecommender[]; add: (found: OwnRecommender[]) => void; drop: (kind: string) => void }) {
  const [url, setUrl] = useState("");
  const [busy, setBusy] = useState("");
  const [problem, setProblem] = useState("");
  const [told, setTold] = useState("");
  const [tried, setTried] = useState<Tried | null>(null);
  const id = useId();
  const doing = async (what: string, work: () => Promise<void>) => {
    setBusy(what); setProblem(""); setTold(""); setTried(null);
    try { await work(); } catch (failure) { setProblem(said(failure)); }
    setBusy("");
  };
  const upload = (file: File) => doing("upload", async () => {
    if (file.size > LARGEST) throw new Error(`${file.name} has ${Math.round(file.size / 1000)} kB; a file may have ${LARGEST / 1000} kB. Leave out what the recommender does not need.`);
    const found = await send<Uploaded>("/recommenders/upload", { name: file.name, text: await file.text() });
    add(found.recommenders);
    const names = found.recommenders.map((one) => one.name).join(", ");
    setTold(`${found.file} holds ${names}: choose it as recommender or under Compare with.`);
  });
  const attempt = (kind: string) => doing(kind, async () => { setTried(await send<Tried>("/recommenders/try", { kind })); });
  const link = () => {
    const kind = url.trim();
    if (!/^https?:\/\/./.test(kind)) { setProblem(`“${kind}” is no address; it begins with http:// or https://, as in http://127.0.0.1:8090.`); return; }
    add([{ kind, name: kind.replace(/^https?:\/\//, ""), file: "" }]);
    setUrl("");
    void attempt(kind);
  };
  return (
    <details className="own" open={own.length > 0 || undefined}>
      <summary>A recommender of your own</summary>
      <div className="stack tight">
        <div className="two">
          <div className="field"><label htmlFor={id}>Python file</label>
            <input id={id} type="file" accept=".py" disabled={busy !== ""} onChange={(event) => { const file = event.target.files?.[0]; if (file) void upload(file); event.target.value = ""; }} />
            <p className="hint">A class with <code>fit(interactions, rng)</code>. The file runs on this machine, as one you name in a scenario does.</p></div>
          <Field label="Service" hint="Your own server, in any language, that answers three requests">
            {(field, hint) => <span className="inline"><input id={field} aria-describedby={hint} value={url} placeholder="http://127.0.0.1:8090" onChange={(event) => setUrl(event.target.value)} autoComplete="off"
              onKeyDown={(event) => { if (event.key === "Enter") { event.preventDefault(); link(); } }} />
              <button type="button" disabled={!url.trim() || busy !== ""} onClick={link}>Add and try</button></span>}
          </Field>
        </div>
        {own.length ? <ul className="chips">{own.map((one) => (
          <li key={one.kind}><span title={one.kind}>{one.name}{one.file ? <span className="faint small"> {one.file}</span> : null}</span>
            <button type="button" className="link small" disabled={busy !== ""} onClick={() => void attempt(one.kind)}>try it</button>
            <button type="button" className="quiet icon" aria-label={`Remove ${one.name}`} onClick={() => drop(one.kind)}>✕</button></li>))}</ul> : null}
        {busy ? <p className="faint small" role="status">{busy === "upload" ? "Reading the file …" : "Asking it as 50 people would …"}</p> : null}
        {told ? <p className="good small" role="status">{told}</p> : null}
        <Problem>{problem}</Problem>
        {tried ? <Checks tried={tried} /> : null}
      </div>
    </details>
  );
}

function Checks({ tried }: { tried: Tried }) {
  return (
    <div className="checks" role="status"><p className={tried.ok ? "good small strong" : "row-error strong"}>{tried.ok ? `${tried.name} works.` : `${tried.name} does not work yet; fix what is marked, then try it again.`}</p>
      <ul className="plain small">{tried.checks.map((one) => (
        <li key={one.what} className={one.ok ? "" : "row-error"}><span aria-hidden="true">{one.ok ? "✓ " : "✗ "}</span><span className="hidden">{one.ok ? "works: " : "does not work: "}</span><span className="strong">{one.what}</span> <span className={one.ok ? "faint" : ""}>{one.told}</span></li>))}</ul></div>
  );
}
