// Where one is: the part of the address after `#`.

import { useSyncExternalStore } from "react";

export type Tab = "watch" | "measures" | "people" | "ask" | "play" | "change" | "branch";
export const TABS: Tab[] = ["watch", "measures", "people", "ask", "play", "change", "branch"];
export const TAB_NAMES: Record<Tab, string> = {
  watch: "Watch", measures: "Measures", people: "People", ask: "Ask", play: "Play", change: "Change", branch: "Branch",
};

export type Route =
  | { screen: "list" }
  | { screen: "new"; from?: string }
  | { screen: "run"; id: string; tab: Tab }
  | { screen: "experiment"; id: string }
  | { screen: "compare"; a: string; b: string };

/** An address that was typed or cut short may not be well formed. */
function decoded(part: string): string {
  try { return decodeURIComponent(part); } catch { return part; }
}

export function read(hash: string): Route {
  const [first, ...rest] = hash.replace(/^#\/?/, "").split("/").map(decoded);
  if (first === "new") return { screen: "new", from: rest[0] ?? "" };
  if (first === "run" && rest[0]) {
    const tab = TABS.find((one) => one === rest[1]) ?? "watch";
    return { screen: "run", id: rest[0], tab };
  }
  if (first === "experiment" && rest[0]) return { screen: "experiment", id: rest[0] };
  if (first === "compare") return { screen: "compare", a: rest[0] ?? "", b: rest[1] ?? "" };
  return { screen: "list" };
}

export function address(route: Route): string {
  const code = encodeURIComponent;
  switch (route.screen) {
    case "list": return "#/";
    case "new": return route.from ? `#/new/${code(route.from)}` : "#/new";
    case "run": return `#/run/${code(route.id)}/${route.tab}`;
    case "experiment": return `#/experiment/${code(route.id)}`;
    case "compare": return `#/compare/${code(route.a)}/${code(route.b)}`;
  }
}

export function go(route: Route): void {
  location.hash = address(route);
}

function subscribe(told: () => void): () => void {
  addEventListener("hashchange", told);
  return () => removeEventListener("hashchange", told);
}

export function useHash(): string {
  return useSyncExternalStore(subscribe, () => location.hash);
}
