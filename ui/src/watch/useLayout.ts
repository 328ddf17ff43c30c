// Places for the dots of a graph, from memory or from a worker.

import { useEffect, useState } from "react";
import type { GraphNode } from "../wire/types";
import type { Wanted } from "./layout.worker";

const kept = new Map<string, Float32Array>();

export function useLayout(run: string, nodes: GraphNode[], edges: [number, number, number][]): Float32Array | null {
  const key = `${run} ${nodes.length}`;
  const [places, setPlaces] = useState<Float32Array | null>(() => kept.get(key) ?? null);
  useEffect(() => {
    const known = kept.get(key);
    if (known) { setPlaces(known); return; }
    const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = (message: MessageEvent<Float32Array | "done">) => {
      if (message.data === "done") { worker.terminate(); return; }
      kept.set(key, message.data);
      setPlaces(message.data);
    };
    const wanted: Wanted = { size: nodes.length, edges, group: nodes.map((node) => node.community) };
    worker.postMessage(wanted);
    return () => worker.terminate();
  }, [key, nodes, edges]);
  return places;
}
