// Where one is: the part of the address after `#`. Whatever one may want to send as a link is in it.

import { useCallback, useSyncExternalStore } from "react";

export type Tab = "watch" | "measures" | "people" | "calls" | "ask" | "notes" | "part" | "change" | "branch" | "scenario";
export const TABS: Tab[] = ["watch", "measures", "people", "calls", "ask", "notes", "part", "change", "branch", "scenario"];
export const TAB_NAMES: Record<Tab, string> = {
  watch: "Watch", measures: "Measures", people: "People", calls: "Calls", ask: "Ask", notes: "Notes", part: "Take part", change: "Change", branch: "Branch", scenario: "Scenario",
};

/** What is chosen on a screen, by name: a person, a round, a filter. Nothing chosen is left out. */
export type Chosen = Record<string, string | number | null | undefined>;

export type Route = (
  | { screen: "list" }
  | { screen: "new"; from?: string }
  | { screen: "run"; id: string; tab: Tab }
  | { screen: "experiment"; id: string }
  | { screen: "lab"; id: string }
  | { screen: "compare"; a: string; b: string }
) & { chosen?: Chosen };

/** What stays chosen when one goes to another tab of the same run. */
const LASTING = ["round", "person"];

/** An address that was typed or cut short may not be well formed. */
function decoded(part: string): string {
  try { return decodeURIComponent(part); } catch { return part; }
}

function split(hash: string): [string, URLSearchParams] {
  const place = hash.indexOf("?");
  return place < 0 ? [hash, new URLSearchParams()] : [hash.slice(0, place), new URLSearchParams(hash.slice(place + 1))];
}

export function read(hash: string): Route {
  const [first, ...rest] = split(hash)[0].replace(/^#\/?/, "").split("/").map(decoded);
  if (first === "new") return { screen: "new", from: rest[0] ?? "" };
  if (first === "run" && rest[0]) {
    const tab = TABS.find((one) => one === (rest[1] === "play" ? "part" : rest[1])) ?? "watch";
    return { screen: "run", id: rest[0], tab };
  }
  if (first === "experiment" && rest[0]) return { screen: "experiment", id: rest[0] };
  if (first === "lab") return { screen: "lab", id: rest[0] ?? "" };
  if (first === "compare") return { screen: "compare", a: rest[0] ?? "", b: rest[1] ?? "" };
  return { screen: "list" };
}

function asked(params: URLSearchParams): string {
  const told = params.toString();
  return told ? `?${told}` : "";
}

function changed(params: URLSearchParams, chosen: Chosen): URLSearchParams {
  const found = new URLSearchParams(params);
  for (const [name, value] of Object.entries(chosen)) {
    if (value === null || value === undefined || value === "") found.delete(name); else found.set(name, `${value}`);
  }
  return found;
}

export function address(route: Route): string {
  return place(route) + asked(changed(new URLSearchParams(), route.chosen ?? {}));
}

function place(route: Route): string {
  const code = encodeURIComponent;
  switch (route.screen) {
    case "list": return "#/";
    case "new": return route.from ? `#/new/${code(route.from)}` : "#/new";
    case "run": return `#/run/${code(route.id)}/${route.tab}`;
    case "experiment": return `#/experiment/${code(route.id)}`;
    case "lab": return route.id ? `#/lab/${code(route.id)}` : "#/lab";
    case "compare": return `#/compare/${code(route.a)}/${code(route.b)}`;
  }
}

export function go(route: Route): void {
  location.hash = address(route);
}

/** The address of another tab of the run at hand: the round and the person stay. */
export function tabAddress(id: string, tab: Tab, hash: string): string {
  const [, params] = split(hash);
  return address({ screen: "run", id, tab, chosen: Object.fromEntries(LASTING.map((name) => [name, params.get(name)])) });
}

/** Choose on the screen at hand. `push` lets Back return to what was chosen before; `replace` does not. */
export function choose(chosen: Chosen, how: "push" | "replace" = "push"): void {
  const [path, params] = split(location.hash || "#/");
  const next = path + asked(changed(params, chosen));
  if (next === location.hash) return;
  // Not `location.hash = next`: its event comes later, and until then a checkbox shows what it was.
  if (how === "push") history.pushState(null, "", next);
  else history.replaceState(history.state, "", next);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

function subscribe(told: () => void): () => void {
  addEventListener("hashchange", told);
  return () => removeEventListener("hashchange", told);
}

export function useHash(): string {
  return useSyncExternalStore(subscribe, () => location.hash);
}

/** Like `useState`, but kept in the address: links and Back keep it. */
export function useParam<Value extends string = string>(
  name: string, initial: NoInfer<Value>, how: "push" | "replace" = "push",
): [Value, (next: Value) => void] {
  const found = split(useHash())[1].get(name) as Value | null;
  const set = useCallback((next: Value) => choose({ [name]: next === initial ? null : next }, how), [name, initial, how]);
  return [found ?? initial, set];
}

/** A whole number from zero kept in the address; what was not chosen or makes no sense is null. */
export function useNumber(name: string, how: "push" | "replace" = "push"): [number | null, (next: number | null) => void] {
  const found = split(useHash())[1].get(name) ?? "";
  const set = useCallback((next: number | null) => choose({ [name]: next }, how), [name, how]);
  return [/^\d{1,9}$/.test(found) ? Number(found) : null, set];
}
