// The few building blocks every screen shares.

import { useEffect, useId, useRef, type ReactNode } from "react";
import type { RunState } from "../wire/types";
import { FIELDS } from "./words";

export function Problem({ children, again }: { children: ReactNode; again?: (() => void) | undefined }) {
  if (!children) return null;
  return (
    <div className="problem" role="alert">
      <span>{children}</span>
      {again ? <button type="button" className="quiet" onClick={again}>Try again</button> : null}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {children ? <p>{children}</p> : null}
    </div>
  );
}

const STATES: Record<RunState | "trying", string> = {
  trying: "Trying other audiences",
  running: "Running", paused: "Paused", waiting: "Waiting for a person", stopped: "Stopped",
  finished: "Finished", failed: "Failed", elsewhere: "Running elsewhere",
};

export function StateMark({ state }: { state: RunState | "trying" }) {
  return <span className={`mark mark-${state}`}><i aria-hidden="true" />{STATES[state] ?? state}</span>;
}

export function Panel({ title, tools, children, className = "" }: {
  title: string; tools?: ReactNode; children: ReactNode; className?: string;
}) {
  const id = useId();
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <header className="panel-head"><h2 id={id}>{title}</h2>{tools ? <div className="tools">{tools}</div> : null}</header>
      {children}
    </section>
  );
}

export function Field({ label, hint, problem, children }: {
  label: string; hint?: ReactNode; problem?: string | undefined; children: (id: string, told: string | undefined) => ReactNode;
}) {
  const id = useId();
  const meant = hint || FIELDS[label];
  const told = problem || meant ? `${id}-told` : undefined;
  return (
    <div className={`field ${problem ? "wrong" : ""}`}>
      <label htmlFor={id}>{label}</label>
      {children(id, told)}
      {problem ? <p className="field-problem" id={told}>{problem}</p> : meant ? <p className="hint" id={told}>{meant}</p> : null}
    </div>
  );
}

/** A dialogue over the page: focus goes in, stays in, and comes back. */
export function Sheet({ title, close, children, wide = false }: {
  title: string; close: () => void; children: ReactNode; wide?: boolean;
}) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={box} className={`sheet ${wide ? "wide" : ""}`} aria-labelledby={id}
      onCancel={(event) => { event.preventDefault(); close(); }}
      onClick={(event) => { if (event.target === box.current) close(); }}>
      <header className="panel-head"><h2 id={id}>{title}</h2>
        <button type="button" className="quiet icon" aria-label="Close" onClick={close}>✕</button></header>
      <div className="sheet-body">{children}</div>
    </dialog>
  );
}

export function Bar({ value, label, tone = "" }: { value: number; label: string; tone?: string }) {
  const share = Math.max(0, Math.min(1, value || 0));
  return (
    <span className={`bar ${tone}`} role="img" aria-label={label} title={label}>
      <span style={{ width: `${share * 100}%` }} />
    </span>
  );
}

export interface Choice<T extends string> { is: T; name: ReactNode }

/** Tabs in the manner of the keyboard: arrows move, one tab stop. */
export function Tabs<T extends string>({ label, choices, chosen, choose, panel }: {
  label: string; choices: Choice<T>[]; chosen: T; choose: (next: T) => void; panel?: string;
}) {
  const move = (by: number) => {
    const at = choices.findIndex((one) => one.is === chosen);
    const next = choices[(at + by + choices.length) % choices.length];
    if (next) choose(next.is);
  };
  const list = useRef<HTMLDivElement>(null);
  const key = (event: React.KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!by) return;
    event.preventDefault();
    move(by);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus());
  };
  return (
    <div className="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={key}>
      {choices.map((one) => (
        <button key={one.is} type="button" role="tab" aria-selected={one.is === chosen} aria-controls={panel}
          tabIndex={one.is === chosen ? 0 : -1} onClick={() => choose(one.is)}>{one.name}</button>
      ))}
    </div>
  );
}
