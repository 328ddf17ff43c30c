// A small question mark that tells what a word means: by click, touch or Enter, closed by Escape or a click elsewhere.

import { useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { MEANINGS } from "../types.gen";
import { WORDS } from "./words";

const GAP = 6;
const WIDE = 300;

function place(button: HTMLElement, box: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.left, innerWidth - Math.min(WIDE, innerWidth - 16) - 8));
  const below = at.bottom + GAP;
  box.style.left = `${left}px`;
  box.style.top = below + box.offsetHeight > innerHeight ? `${Math.max(8, at.top - GAP - box.offsetHeight)}px` : `${below}px`;
}

export function Tip({ of, children }: { of: string; children: React.ReactNode }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const opens = (event: React.ToggleEvent<HTMLSpanElement>) => flushSync(() => setOpen(event.newState === "open"));
  const opened = (event: React.ToggleEvent<HTMLSpanElement>) => {
    if (event.newState === "open" && button.current) place(button.current, event.currentTarget);
  };
  return (
    <span className="tip-wrap">
      <button ref={button} type="button" className="tip" popoverTarget={id} aria-label={`About ${of}`}><span aria-hidden="true">?</span></button>
      <span id={id} className="tip-box" popover="auto" role="note" onBeforeToggle={opens} onToggle={opened}>{isOpen ? children : null}</span>
    </span>
  );
}

/** What a metric tells, its formula and unit; nothing for one that nobody described. */
export function MetricTip({ name, label, unit, over }: { name: string; label: string; unit?: string | undefined; over?: string | undefined }) {
  const found = MEANINGS[name];
  if (!found) return null;
  const [sentence, formula, ownUnit, mean] = found;
  const averaged = over ?? mean;
  return (
    <Tip of={label}><b>{label}</b><span>{sentence}</span><span><i>Formula</i> {formula}</span><span><i>Unit</i> {unit || ownUnit || "a count"}</span>
      {averaged ? <span><i>Mean over</i> {averaged}</span> : null}</Tip>
  );
}

/** What a word of the page means. */
export function WordTip({ of }: { of: string }) {
  const told = WORDS[of];
  return told ? <Tip of={of}><b>{of[0]?.toUpperCase()}{of.slice(1)}</b><span>{told}</span></Tip> : null;
}
