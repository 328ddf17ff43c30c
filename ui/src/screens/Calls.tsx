// Every call to a model: what it was for, how it ended, what it took; one click from its prompt and reply.

import { useAsked, useEvery, useFeed } from "../fold/store";
import { useHere } from "../parts/context";
import { count, duration } from "../parts/format";
import { choose, useNumber, useParam } from "../parts/route";
import { Empty, Problem } from "../parts/ui";
import { get, query, runPath } from "../wire/api";
import type { CallPage } from "../wire/types";

const PAGE = 50;

export function CallsTab() {
  const { feed, openCall } = useHere();
  useFeed(feed, 1);
  const [purpose] = useParam("for", "");
  const [outcome] = useParam("ended", "");
  const [from, setOffset] = useNumber("from");
  const offset = from ?? 0;
  const path = `${runPath(feed.id)}/calls${query({ purpose, outcome, offset, limit: PAGE })}`;
  const asked = useAsked((signal) => get<CallPage>(path, signal), path);
  useEvery(feed.control?.state === "running" ? 2000 : null, asked.again);
  const found = asked.value;
  const purposes = Object.entries(found?.outcomes ?? {});
  const outcomes = [...new Set(purposes.flatMap(([, each]) => Object.keys(each)))].sort();
  if (found && !purposes.length) return <Empty title="No calls">No language model was asked in this run.</Empty>;
  return (
    <section className="card stack" aria-label="Calls">
      <div className="row-between"><h2>Calls to models</h2>
        <div className="tools">
          <label className="small">For <select value={purpose} onChange={(event) => choose({ for: event.target.value, from: null })}>
            <option value="">everything</option>{purposes.map(([name]) => <option key={name}>{name}</option>)}</select></label>
          <label className="small">Ended as <select value={outcome} onChange={(event) => choose({ ended: event.target.value, from: null })}>
            <option value="">anything</option><option value="failed">anything but a reply</option>{outcomes.map((name) => <option key={name}>{name}</option>)}</select></label>
        </div></div>
      <Problem again={asked.again}>{asked.problem}</Problem>
      <p className="faint small">{purposes.map(([name, each]) => `${name} ${Object.entries(each).map(([how, many]) => (how === "reply" ? count(many) : `${count(many)} ${how}`)).join(" + ")}`).join(" · ")}</p>
      {found && !found.total ? <Empty title="None of these">Choose another purpose or outcome.</Empty> : null}
      {found?.total ? (
        <>
          <div className="table-box"><table><thead><tr><th scope="col">For</th><th scope="col">Ended as</th><th scope="col">Model</th><th scope="col" className="number">Prompt tokens</th>
            <th scope="col" className="number">Reply tokens</th><th scope="col" className="number">Time</th><th scope="col" className="number">Attempts</th><th scope="col"><span className="hidden">Open</span></th></tr></thead>
            <tbody>{found.lines.map((one, at) => (
              <tr key={`${one.key} ${at}`}><th scope="row">{one.purpose}</th><td className={one.outcome === "reply" ? "" : "warn"}>{one.outcome}</td><td>{one.model || "–"}</td>
                <td className="number">{count(one.prompt)}</td><td className="number">{count(one.completion)}</td><td className="number">{duration(one.seconds)}</td><td className="number">{one.attempts}</td>
                <td><button type="button" className="link call" onClick={() => openCall(one.key)}>prompt and reply</button></td></tr>))}</tbody></table></div>
          <div className="tools"><button type="button" disabled={!offset} onClick={() => setOffset(Math.max(0, offset - PAGE) || null)}>Newer</button>
            <span className="faint small" role="status">{count(offset + 1)} to {count(offset + found.lines.length)} of {count(found.total)}</span>
            <button type="button" disabled={offset + PAGE >= found.total} onClick={() => setOffset(offset + PAGE)}>Older</button></div>
        </>
      ) : found ? null : <p className="faint">Counting …</p>}
    </section>
  );
}
