// Choosing a person or an item by typing part of its name; two may share a name, so the number stands behind it.

import { useId, useMemo } from "react";

const OFFERED = 40;
const shown = (name: string, id: number): string => `${name} · ${id}`;

/** The id that a typed text means: the number behind a name, a plain number, or a whole name. */
export function meant(typed: string, names: readonly string[]): number | null {
  const words = typed.trim();
  const numbered = /(?:^|· )(\d+)$/.exec(words);
  if (numbered) { const id = Number(numbered[1]); return id < names.length ? id : null; }
  const at = words ? names.findIndex((name) => name.toLowerCase() === words.toLowerCase()) : -1;
  return at < 0 ? null : at;
}

export function Named({ names, value, set, ...rest }: {
  names: readonly string[]; value: string; set: (typed: string) => void; id?: string; placeholder?: string; "aria-label"?: string;
}) {
  const list = useId();
  const offered = useMemo(() => {
    const words = value.trim().toLowerCase();
    const found: string[] = [];
    for (let id = 0; id < names.length && found.length < OFFERED; id += 1) {
      const name = names[id] ?? "";
      if (name.toLowerCase().includes(words)) found.push(shown(name, id));
    }
    return found;
  }, [names, value]);
  return (
    <>
      <input {...rest} list={list} value={value} onChange={(event) => set(event.target.value)} autoComplete="off" />
      <datalist id={list}>{offered.map((one) => <option key={one} value={one} />)}</datalist>
    </>
  );
}
