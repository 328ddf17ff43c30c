// Where people stand on the graph: forces, computed away from the page so that it stays responsive.

import { forceCenter, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from "d3-force";

export interface Wanted {
  size: number;
  edges: [number, number, number][];
  /** Groups pull their members together. */
  group: number[];
}

interface Dot extends SimulationNodeDatum { group: number }

const STEPS = 220;
const SHOWN_EVERY = 20;

function places(dots: Dot[]): Float32Array {
  const found = new Float32Array(dots.length * 2);
  dots.forEach((dot, at) => { found[2 * at] = dot.x ?? 0; found[2 * at + 1] = dot.y ?? 0; });
  return found;
}

/** A home for each group on a sunflower, so that the first picture is close to the last. */
function homes(group: number[], size: number): Map<number, [number, number]> {
  const kinds = [...new Set(group)];
  const reach = 14 * Math.sqrt(size);
  return new Map(kinds.map((kind, at) => {
    const turn = at * 2.399963, far = kinds.length > 1 ? reach * Math.sqrt((at + 0.5) / kinds.length) : 0;
    return [kind, [Math.cos(turn) * far, Math.sin(turn) * far]];
  }));
}

self.onmessage = (message: MessageEvent<Wanted>) => {
  const { size, edges, group } = message.data;
  const home = homes(group, size);
  const dots: Dot[] = Array.from({ length: size }, (_, at) => {
    const [x, y] = home.get(group[at] ?? 0) ?? [0, 0];
    const turn = at * 2.399963, far = 6 * Math.sqrt(at % 97);
    return { group: group[at] ?? 0, x: x + Math.cos(turn) * far, y: y + Math.sin(turn) * far };
  });
  const simulation = forceSimulation(dots)
    .force("charge", forceManyBody().strength(-30).theta(0.9))
    .force("link", forceLink(edges.map(([source, target]) => ({ source, target }))).distance(30).strength(0.12))
    .force("x", forceX<Dot>((dot) => home.get(dot.group)?.[0] ?? 0).strength(0.04))
    .force("y", forceY<Dot>((dot) => home.get(dot.group)?.[1] ?? 0).strength(0.04))
    .force("middle", forceCenter())
    .alphaDecay(1 - Math.pow(0.001, 1 / STEPS))
    .stop();
  for (let step = 1; step <= STEPS; step += 1) {
    simulation.tick();
    if (step % SHOWN_EVERY === 0 || step === STEPS) self.postMessage(places(dots));
  }
  self.postMessage("done");
};
