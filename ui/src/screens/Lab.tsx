// The Lab: studies and evaluations to start, those under way with their progress, and what was found.

import { useState } from "react";
import { said, useAsked, useEvery } from "../fold/store";
import { duration, when } from "../parts/format";
import { address, choose, useParam } from "../parts/route";
import { Empty, Problem, Tabs } from "../parts/ui";
import { get, send } from "../wire/api";
import type { LabJob, LabOffer, LabReply, LabRow, Session } from "../wire/types";
import { LabResultView } from "./LabResult";
import { LabStartSheet } from "./LabStart";
import { Undo, useDeleted } from "./Trash";

type View = "studies" | "evaluations";
const NEEDS: Record<string, string> = { data: "real data", run: "a run", model: "a language model" };

export function LabScreen({ session, id }: { session: Session; id: string }) {
  const asked = useAsked((signal) => get<LabReply>("/lab", signal), "lab");
  const found = asked.value;
  const isGoing = (found?.jobs ?? []).some((one) => one.state === "running" || one.state === "waiting");
  const [view, setView] = useParam<View>("show", "studies");
  const [start] = useParam("start", "");
  const deleted = useDeleted();
  useEvery(isGoing ? 1000 : 8000, asked.again);
  if (id) return <LabResultView id={id} job={found?.jobs.find((one) => one.result === id) ?? null} session={session} again={asked.again} />;
  const offers = (found?.offers ?? []).filter((one) => (one.kind === "study") === (view === "studies"));
  const chosen = found?.offers.find((one) => `${one.kind} ${one.name}` === start);
  return (
    <div className="page wide lab">
      <div className="page-head"><div><h1>Lab</h1><p className="faint">A study answers a question about audiences with controls, seeds and intervals. An evaluation holds a part against a known truth.</p></div></div>
      <Problem again={asked.again}>{asked.problem}</Problem>
      <Undo deleted={deleted} done={asked.again} />
      {found?.jobs.length ? <section className="stack tight" aria-label="Under way">{found.jobs.map((job) => <JobCard key={job.id} job={job} again={asked.again} />)}</section> : null}
      <section className="card" aria-label="What was found"><h2>Results</h2>
        {found && !found.results.length ? <Empty title="Nothing yet">Start a study below, or in a terminal with <code>audience study cocoon --quick</code>: both appear here.</Empty> : null}
        {found?.results.length ? <Results rows={found.results} /> : null}
      </section>
      <section className="stack" aria-label="What can be started"><div className="row-between"><h2>Start one</h2>
        <Tabs label="Studies or evaluations" chosen={view} choose={setView} choices={[{ is: "studies", name: "Studies" }, { is: "evaluations", name: "Evaluations" }]} /></div>
        {found?.refused ? <p className="hint">{found.refused}</p> : null}
        {found && !offers.length ? <Empty title="None here">Whoever serves this page can offer studies in the file of <code>audience serve --offer</code>.</Empty> : null}
        <ul className="offers">{offers.map((one) => <OfferCard key={one.name} one={one} />)}</ul>
      </section>
      {chosen ? <LabStartSheet offer={chosen} session={session} close={() => choose({ start: null })} done={() => { choose({ start: null }); asked.again(); document.getElementById("main")?.scrollTo({ top: 0 }); }} /> : null}
    </div>
  );
}

function OfferCard({ one }: { one: LabOffer }) {
  return (
    <li className="card offer"><div className="row-between"><h3>{one.name}</h3>
      <button type="button" onClick={() => choose({ start: `${one.kind} ${one.name}` })} aria-label={`Start ${one.name}`}>Start …</button></div>
      <p>{one.question}</p>
      <p className="faint small">{one.needs.length ? `Needs ${one.needs.map((need) => NEEDS[need] ?? need).join(" and ")}. ` : "Needs nothing else. "}{one.quick ? `Quick: ${one.quick}; full: ${one.full}.` : `Takes ${one.full}.`}
        {one.arms.length ? <span className="block">Arms: {one.arms.join(", ")}</span> : null}</p></li>
  );
}

const STATES: Record<LabJob["state"], string> = { waiting: "Waits for its turn", running: "Running", finished: "Finished", failed: "Failed", cancelled: "Cancelled" };

export function JobCard({ job, again }: { job: LabJob; again: () => void }) {
  const [problem, setProblem] = useState("");
  const cancel = () => void send(`/lab/jobs/${job.id}/cancel`, {}).then(again, (failure: unknown) => setProblem(said(failure)));
  const isGoing = job.state === "running" || job.state === "waiting";
  const mark = job.state === "waiting" ? "paused" : job.state === "cancelled" ? "stopped" : job.state;
  return (
    <article className="card job" aria-label={`${job.kind} ${job.name}`}>
      <div className="row-between"><div><span className="strong">{job.name}</span> <span className="faint small">{job.options}</span><div className="faint">{job.question}</div></div>
        <div className="tools"><span className={`mark mark-${mark}`} role="status"><i aria-hidden="true" />{STATES[job.state]}</span>
          {job.seconds ? <span className="faint small">{duration(job.seconds)}</span> : null}
          {isGoing ? <button type="button" onClick={cancel} aria-label={`Cancel ${job.name}`}>Cancel</button> : null}
          {job.state === "finished" && job.result ? <a className="button main" href={address({ screen: "lab", id: job.result })}>Read the result</a> : null}</div></div>
      {job.state === "running" ? (
        <>
          <progress className="progress" max={job.all || 1} value={job.all ? job.done : undefined} aria-label={job.all ? `${job.done} of ${job.all}` : "Under way"} />
          <p className="faint small">{job.arms.length ? `${job.done} of ${job.all} runs` : job.all ? `${job.done} of ${job.all}` : "Under way"}{job.now ? ` · now ${job.now}` : ""}</p>
          {job.arms.length ? <ul className="chips">{job.arms.map((arm) => <li key={arm.arm} className={arm.done === arm.all ? "done" : ""}>{arm.arm} <span className="faint small">{arm.done} of {arm.all}</span></li>)}</ul> : null}
        </>
      ) : null}
      {job.state === "cancelled" ? <p className="faint small">What it had written is in the trash, from which it can be restored and continued.</p> : null}
      {job.error ? <Problem><span className="printed">{job.error}</span></Problem> : null}
      <Problem>{problem}</Problem>
    </article>
  );
}

const DONE: Record<string, string> = { finished: "Finished", running: "Running", unfinished: "Not finished" };

function Results({ rows }: { rows: LabRow[] }) {
  return (
    <div className="table-box"><table><thead><tr><th scope="col">Study or evaluation</th><th scope="col">What it found</th><th scope="col">State</th><th scope="col">Last changed</th></tr></thead>
      <tbody>{rows.map((one) => (
        <tr key={one.id}><td className="name-cell"><a className="strong" href={address({ screen: "lab", id: one.id })}>{one.id}</a><div className="faint small">{one.title}</div></td>
          <td className="found-cell small">{one.verdict || <span className="faint">{one.state === "finished" ? "Open it to read its tables" : "–"}</span>}</td>
          <td><span className={`mark mark-${one.state === "unfinished" ? "stopped" : one.state}`}><i aria-hidden="true" />{DONE[one.state] ?? one.state}</span>{one.state === "finished" ? null : <div className="faint small">{one.done} of {one.all} runs</div>}</td>
          <td className="faint small nowrap">{one.changed ? when(one.changed) : "–"}</td></tr>))}</tbody></table></div>
  );
}
