// What a study or an evaluation found: the sentence, the figures, the table, how it was done, the report.

import { useEffect, useState } from "react";
import { blocks, type Block } from "../fold/markdown";
import { said, useAsked, useEvery } from "../fold/store";
import { ApiLink } from "../parts/ApiLink";
import { when } from "../parts/format";
import { address, go, useParam } from "../parts/route";
import { Empty, Problem, Tabs } from "../parts/ui";
import { fetchBlob, get, labPath, needsTickets, send } from "../wire/api";
import type { DeletedRow, LabJob, LabResult, Session } from "../wire/types";
import { JobCard } from "./Lab";
import { useDeleted } from "./Trash";

type View = "found" | "report";
const OFTEN = 1500;

export function LabResultView({ id, job, session, again }: { id: string; job: LabJob | null; session: Session; again: () => void }) {
  const asked = useAsked((signal) => get<LabResult>(labPath(id), signal), `${id} ${job?.state ?? ""}`);
  const [view, setView] = useParam<View>("show", "found");
  const [problem, setProblem] = useState("");
  const deleted = useDeleted();
  const found = asked.value;
  const isGoing = job?.state === "running" || job?.state === "waiting";
  const isWhole = found?.state === "finished" && (found.kind !== "study" || found.verdict);
  useEvery(found && !isWhole ? OFTEN : null, asked.again);
  if (asked.problem && !found) return <div className="page"><Problem again={asked.again}>{asked.problem}</Problem><p><a href={address({ screen: "lab", id: "" })}>All studies and evaluations</a></p></div>;
  if (!found) return <div className="page"><p className="faint" role="status">Reading {id} …</p></div>;
  const remove = () => void send<DeletedRow>("/trash", { id }).then((row) => { deleted.add(row); go({ screen: "lab", id: "" }); }, (failure: unknown) => setProblem(said(failure)));
  const goOn = () => void send<LabJob>(`${labPath(id)}/continue`, {}).then(again, (failure: unknown) => setProblem(said(failure)));
  return (
    <div className="page wide lab">
      <div className="page-head"><div><p className="small"><a href={address({ screen: "lab", id: "" })}>Lab</a></p><h1>{found.title}</h1>
        <p className="faint break">{found.kind} {found.name} · {id}{found.arms.length ? ` · ${found.arms.length} arms, ${found.seeds} ${found.seeds === 1 ? "seed" : "seeds"}` : ""} · {when(found.changed)}</p></div>
        <div className="tools">{found.has_report && session.is_private ? <ApiLink className="button" path={`${labPath(id)}/report`}>Report<span aria-hidden="true"> ↗</span></ApiLink> : null}
          {session.is_private && !isGoing ? <button type="button" onClick={remove}>Delete</button> : null}</div></div>
      <Problem>{problem || asked.problem}</Problem>
      {job && isGoing ? <JobCard job={job} again={again} /> : null}
      {found.state !== "finished" && !isGoing ? (
        <section className="card" aria-label="Not finished"><h2>Not finished</h2><p>{found.done} of {found.all} runs have ended. {found.kind === "study" ? "Continue it here, or in a terminal:" : "Start it again in the Lab."}</p>
          {found.command && session.is_private ? <><pre className="code-box">{found.command}</pre><div className="tools"><button type="button" className="main" onClick={goOn}>Continue</button></div></> : null}</section>
      ) : null}
      {found.verdict ? <section className="card experiment" aria-label="Verdict"><h2>What it found</h2><p className="verdict">{found.verdict}</p></section> : null}
      {found.has_report && session.is_private && !needsTickets() ? <Tabs label="What to see" chosen={view} choose={setView} choices={[{ is: "found", name: "Findings" }, { is: "report", name: "Report" }]} /> : null}
      {view === "report" && found.has_report ? <iframe className="report-frame" title="Report" src={`/api${labPath(id)}/report`} sandbox="" /> : <Findings found={found} />}
    </div>
  );
}

function Findings({ found }: { found: LabResult }) {
  if (found.state !== "finished") return null;
  return (
    <>
      {found.figures.length ? <section aria-label="Figures"><h2>Figures</h2><div className="lab-figures">{found.figures.map((one) => <Figure key={one.file} path={`${labPath(found.id)}/figures/${encodeURIComponent(one.file)}`} title={one.title} />)}</div></section> : null}
      {found.text ? <section className="card stack" aria-label="Tables"><h2>Numbers</h2>{blocks(found.text).map((block, at) => <Shown key={at} block={block} />)}</section> : null}
      {found.method.length ? <section className="card" aria-label="Method"><h2>How it was done</h2><ul className="bullets">{found.method.map((line) => <li key={line}>{line}</li>)}</ul></section> : null}
      {found.notes.length ? <section className="card" aria-label="Remarks"><h2>What to keep in mind</h2><ul className="bullets">{found.notes.map((line) => <li key={line}>{line}</li>)}</ul></section> : null}
      {found.kind === "study" ? <p className="hint">The runs of this study are in the list of <a href={address({ screen: "list", chosen: { find: found.id, open: found.id } })}>runs</a>: each can be opened, compared and branched.</p> : null}
      {!found.figures.length && !found.text ? <Empty title="Nothing to show">Its folder holds neither a table nor a figure.</Empty> : null}
    </>
  );
}

function Figure({ path, title }: { path: string; title: string }) {
  const [source, setSource] = useState("");
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let made = "";
    let isGone = false;
    fetchBlob(path).then((blob) => { if (!isGone) { made = URL.createObjectURL(blob); setSource(made); } }, (failure: unknown) => setProblem(said(failure)));
    return () => { isGone = true; if (made) URL.revokeObjectURL(made); };
  }, [path]);
  return <figure className="card lab-figure"><Problem>{problem}</Problem>{source ? <a href={source} target="_blank" rel="noreferrer" aria-label={`${title}, larger`}><img src={source} alt={`Figure: ${title}`} /></a> : null}<figcaption className="hidden">{title}</figcaption></figure>;
}

function Shown({ block }: { block: Block }) {
  switch (block.kind) {
    case "heading": return <h3>{block.text}</h3>;
    case "text": return <p>{block.text}</p>;
    case "list": return <ul className="bullets small">{block.items.map((one) => <li key={one}>{one}</li>)}</ul>;
    case "printed": return <pre className="code-box printed-box" tabIndex={0} aria-label="As printed">{block.text}</pre>;
    case "table": return (
      <div className="table-box"><table><thead><tr>{block.head.map((cell, at) => <th key={at} scope="col" className={at ? "number" : ""}>{cell}</th>)}</tr></thead>
        <tbody>{block.rows.map((row, at) => <tr key={at}>{row.map((cell, place) => place ? <td key={place} className="number">{cell}</td> : <th key={place} scope="row">{cell}</th>)}</tr>)}</tbody></table></div>);
  }
}
