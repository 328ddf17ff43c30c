// Finding somebody by name or number; with the keyboard alone, this is the way into a person.

import { useState } from "react";
import { useAsked, useSettled } from "../fold/store";
import { useHere } from "../parts/context";
import { get, query, runPath } from "../wire/api";
import type { PersonRow } from "../wire/types";

export function FindPerson({ id = "find-person", label = "Find a person", choose }: {
  id?: string; label?: string; choose?: (person: PersonRow) => void;
}) {
  const { feed, openPerson } = useHere();
  const [typed, setTyped] = useState("");
  const [place, setPlace] = useState(0);
  const settled = useSettled(typed.trim(), 150);
  const asked = useAsked(
    settled ? (signal) => get<PersonRow[]>(`${runPath(feed.id)}/people${query({ query: settled, limit: 8 })}`, signal) : null, settled,
  );
  const found = settled && typed ? asked.value ?? [] : [];
  const take = (person: PersonRow | undefined) => {
    if (!person) return;
    setTyped("");
    if (choose) choose(person); else openPerson(person.id);
  };
  const key = (event: React.KeyboardEvent) => {
    if (event.key === "ArrowDown") { event.preventDefault(); setPlace(Math.min(found.length - 1, place + 1)); }
    else if (event.key === "ArrowUp") { event.preventDefault(); setPlace(Math.max(0, place - 1)); }
    else if (event.key === "Enter") { event.preventDefault(); take(found[place] ?? found[0]); }
    else if (event.key === "Escape") { setTyped(""); (event.target as HTMLElement).blur(); }
  };
  const list = `${id}-list`;
  return (
    <div className="find">
      <input id={id} type="search" role="combobox" aria-label={label} aria-expanded={found.length > 0} aria-controls={list} aria-autocomplete="list"
        aria-activedescendant={found.length ? `${list}-${place}` : undefined} placeholder={label} autoComplete="off" value={typed} onKeyDown={key}
        onChange={(event) => { setTyped(event.target.value); setPlace(0); }} />
      <ul id={list} role="listbox" aria-label={label} hidden={!found.length && !(settled && asked.value)}>
        {found.map((one, at) => (
          <li key={one.id} id={`${list}-${at}`} role="option" aria-selected={at === place} onMouseDown={(event) => { event.preventDefault(); take(one); }}>
            <span className="strong">{one.name}</span> <span className="faint small">{one.id}{one.age ? ` · ${one.age}` : ""}{one.career ? ` · ${one.career}` : ""}</span>
          </li>
        ))}
        {!found.length && settled && asked.value ? <li role="option" aria-selected={false} aria-disabled="true" className="faint">No match</li> : null}
      </ul>
    </div>
  );
}
