// What was deleted: Undo for this session, and the list to restore from or to empty.

import { useCallback, useState } from "react";
import { said, useAsked } from "../fold/store";
import { when } from "../parts/format";
import { Empty, Problem, Sheet } from "../parts/ui";
import { get, send } from "../wire/api";
import type { DeletedRow } from "../wire/types";

const KEPT = "audience-deleted";

export interface Deleted {
  rows: DeletedRow[];
  add(row: DeletedRow): void;
  drop(key: string): void;
  clear(): void;
}

function kept(): DeletedRow[] {
  try { return JSON.parse(sessionStorage.getItem(KEPT) ?? "[]") as DeletedRow[]; } catch { return []; }
}

/** What was deleted in this session, also after a reload. */
export function useDeleted(): Deleted {
  const [rows, setRows] = useState(kept);
  const keep = useCallback((change: (old: DeletedRow[]) => DeletedRow[]) => {
    const next = change(kept());
    sessionStorage.setItem(KEPT, JSON.stringify(next));
    setRows(next);
  }, []);
  return {
    rows, add: (row) => keep((old) => [row, ...old].slice(0, 20)), drop: (key) => keep((old) => old.filter((one) => one.key !== key)), clear: () => keep(() => []),
  };
}

export function Undo({ deleted, done }: { deleted: Deleted; done: () => void }) {
  const [problem, setProblem] = useState("");
  const last = deleted.rows[0];
  const undo = (row: DeletedRow) => send<DeletedRow>(`/trash/${row.key}/restore`, {}).then(
    () => { setProblem(""); deleted.drop(row.key); done(); },
    (failure: unknown) => setProblem(said(failure)),
  );
  if (!last) return null;
  return (
    <div className="undo" role="status">
      <span>{deleted.rows.length > 1 ? `${deleted.rows.length} deleted, ` : "Deleted "}<span className="strong break">{last.id}</span>{deleted.rows.length > 1 ? " last" : ""}. It is in the trash.</span>
      <span className="tools"><button type="button" onClick={() => void undo(last)}>Undo</button>
        <button type="button" className="quiet" aria-label="Do not show this any more" onClick={deleted.clear}>✕</button></span>
      <Problem>{problem}</Problem>
    </div>
  );
}

export function TrashSheet({ close, done }: { close: () => void; done: (restored: DeletedRow | null) => void }) {
  const asked = useAsked((signal) => get<DeletedRow[]>("/trash", signal), "trash");
  const [problem, setProblem] = useState("");
  const [sure, setSure] = useState(false);
  const rows = asked.value ?? [];
  const act = (path: string, then: () => void) => send(path, {}).then(
    () => { setProblem(""); asked.again(); then(); }, (failure: unknown) => setProblem(said(failure)),
  );
  return (
    <Sheet title="Trash" close={close} wide>
      <Problem>{problem || asked.problem}</Problem>
      {asked.value && !rows.length ? <Empty title="The trash is empty">Runs and experiments that you delete wait here until you empty it.</Empty> : null}
      {rows.length ? (
        <>
          <ul className="plain">{rows.map((one) => (
            <li key={one.key} className="line row-between"><span><span className="strong break">{one.id}</span>
              <span className="faint small block">{one.title} · {one.runs} {one.runs === 1 ? "run" : "runs"} · deleted {when(one.deleted)}</span></span>
              <button type="button" onClick={() => void act(`/trash/${one.key}/restore`, () => done(one))}>Restore</button></li>))}</ul>
          <div className="tools">{sure
            ? <><span className="strong">Remove {rows.length} for good? This cannot be undone.</span>
              <button type="button" onClick={() => { setSure(false); void act("/trash/empty", () => done(null)); }}>Yes, remove for good</button>
              <button type="button" className="quiet" onClick={() => setSure(false)}>No</button></>
            : <button type="button" onClick={() => setSure(true)}>Empty the trash</button>}</div>
        </>
      ) : null}
    </Sheet>
  );
}
