// What people wrote about this run: scoring decisions one after another, all notes, and the judging of texts.

import { useAsked } from "../fold/store";
import { ApiLink } from "../parts/ApiLink";
import { useHere } from "../parts/context";
import { choose, useParam } from "../parts/route";
import { Empty, Problem, Tabs } from "../parts/ui";
import { KINDS } from "../watch/NoteSheet";
import { PersonLink } from "../watch/Told";
import { get, runPath } from "../wire/api";
import type { NoteRow } from "../wire/types";
import { JudgeView } from "./Judge";
import { ScoreView } from "./Score";

type View = "score" | "all" | "judge";

export function NotesTab() {
  const [view, setView] = useParam<View>("view", "score");
  return (
    <div className="stack">
      <Tabs label="Notes" chosen={view} choose={setView} choices={[{ is: "score", name: "Score decisions" }, { is: "all", name: "All notes" }, { is: "judge", name: "Judge texts" }]} />
      {view === "all" ? <AllNotes /> : view === "judge" ? <JudgeView /> : <ScoreView />}
    </div>
  );
}

function AllNotes() {
  const { feed } = useHere();
  const [note] = useParam("note", "");
  const asked = useAsked((signal) => get<NoteRow[]>(`${runPath(feed.id)}/notes`, signal), `${feed.id} ${note}`);
  const rows = asked.value ?? [];
  return (
    <section className="card stack" aria-label="All notes">
      <div className="row-between"><h2>All notes</h2>
        {rows.length ? <div className="tools"><ApiLink className="button" path={`${runPath(feed.id)}/notes.csv`}>Save as CSV</ApiLink><ApiLink className="button" path={`${runPath(feed.id)}/notes.json`}>Save as JSON</ApiLink></div> : null}</div>
      <Problem again={asked.again}>{asked.problem}</Problem>
      {asked.value && !rows.length ? <Empty title="Nobody wrote anything yet">Score decisions here, or open a person: each decision, talk, post and person has a “note” beside it. Notes are kept beside the run.</Empty> : null}
      {rows.length ? (
        <div className="table-box"><table><thead><tr><th scope="col">On</th><th scope="col">About</th><th scope="col" className="number">Score</th><th scope="col">Note</th><th scope="col">By</th></tr></thead>
          <tbody>{rows.map((one) => (
            <tr key={`${one.about} ${one.author}`}>
              <td className="nowrap"><span className="tag">{KINDS[one.subject.kind]}</span></td>
              <td><PersonLink id={one.subject.agent} name={one.name} /> {one.subject.round ? <span className="faint small">round {one.subject.round}</span> : null}
                <div className="small clip">{one.words}</div></td>
              <td className="number">{one.score ?? "–"}</td><td>{one.text}</td><td>{one.author}<br /><button type="button" className="link small" aria-label={`Open the note of ${one.author} on ${one.name}`} onClick={() => choose({ note: one.about })}>open</button></td></tr>))}</tbody></table></div>
      ) : null}
      {rows.length ? <p className="hint">As labels: <code>audience eval people labels {feed.id.replaceAll("~", "/")}</code> gives means with intervals and how far people agree.</p> : null}
    </section>
  );
}
