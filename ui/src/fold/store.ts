// Small stores for React: whoever reads is told of news at its own pace, in step with the screen.

import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { Feed } from "./feed";

interface Paced {
  subscribe(told: () => void): () => void;
  snapshot(): number;
}

function paced(feed: Feed, perSecond: number): Paced {
  let seen = feed.version;
  return {
    snapshot: () => seen,
    subscribe(told) {
      let timer = 0;
      let frame = 0;
      let last = 0;
      const show = () => {
        timer = frame = 0;
        last = performance.now();
        if (seen !== feed.version) { seen = feed.version; told(); }
      };
      const soon = () => {
        if (timer || frame) return;
        const wait = last + 1000 / perSecond - performance.now();
        const next = () => { timer = 0; frame = requestAnimationFrame(show); };
        if (wait > 0) timer = window.setTimeout(next, wait); else next();
      };
      const stop = feed.listen(soon);
      soon();
      return () => { stop(); window.clearTimeout(timer); cancelAnimationFrame(frame); };
    },
  };
}

/** Render again when the feed has news, at most so many times a second. */
export function useFeed(feed: Feed, perSecond = 4): number {
  const pace = useMemo(() => paced(feed, perSecond), [feed, perSecond]);
  return useSyncExternalStore(pace.subscribe, pace.snapshot);
}

export interface Asked<T> {
  value: T | null;
  problem: string;
  busy: boolean;
  again(): void;
}

/** Ask the server, and again whenever the question changes; an answer to an old one is never given out for the new. */
export function useAsked<T>(ask: ((signal: AbortSignal) => Promise<T>) | null, key: string): Asked<T> {
  const [state, setState] = useState<{ of: string; value: T | null; problem: string; busy: boolean }>(
    { of: key, value: null, problem: "", busy: true },
  );
  const [turn, setTurn] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    const stop = new AbortController();
    if (!latest.current) return;
    setState((old) => ({ of: key, value: old.of === key ? old.value : null, problem: "", busy: true }));
    latest.current(stop.signal).then(
      (value) => { if (!stop.signal.aborted) setState({ of: key, value, problem: "", busy: false }); },
      (failure: unknown) => {
        if (!stop.signal.aborted) setState((old) => ({ ...old, problem: said(failure), busy: false }));
      },
    );
    return () => stop.abort();
  }, [key, turn]);
  const again = useCallback(() => setTurn((old) => old + 1), []);
  const { of, ...given } = state;
  return { ...(of === key ? given : { value: null, problem: "", busy: true }), again };
}

export function said(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}

/** A value that waits until nobody has changed it for a while. */
export function useSettled<T>(value: T, ms = 300): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), ms);
    return () => window.clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** Call something again and again while it makes sense. */
export function useEvery(ms: number | null, call: () => void): void {
  const latest = useRef(call);
  latest.current = call;
  useEffect(() => {
    if (ms === null) return;
    const timer = window.setInterval(() => latest.current(), ms);
    return () => window.clearInterval(timer);
  }, [ms]);
}
