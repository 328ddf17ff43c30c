// The name under which one scores and writes, entered once and kept in this browser.

import { useSyncExternalStore } from "react";

const KEPT = "audience-author";
const listeners = new Set<() => void>();

function kept(): string {
  try { return localStorage.getItem(KEPT) ?? ""; } catch { return ""; }
}

export function useAuthor(): [string, (name: string) => void] {
  const name = useSyncExternalStore((told) => { listeners.add(told); return () => listeners.delete(told); }, kept);
  return [name, (next) => {
    try { localStorage.setItem(KEPT, next.slice(0, 80)); } catch { /* a browser that keeps nothing asks again */ }
    listeners.forEach((told) => told());
  }];
}
