// What the colours of the graph mean: activity, satisfaction, emotion, attitude or community.

import { ACTIVITIES, type Live } from "../fold/live";
import type { Community, GraphNode } from "../wire/types";

export type By = "activity" | "satisfaction" | "emotion" | "attitude" | "community";

export interface Legend { name: string; colour: string }

export const ACTIVITY_COLOURS = ["--idle", "--browsing", "--watching", "--chatting", "--posting"];
const SCALE = ["--low", "--lowish", "--middle", "--highish", "--high"];
const GROUPS = ["--group-0", "--group-1", "--group-2", "--group-3", "--group-4", "--group-5", "--group-6"];

export const LEGENDS: Record<By, Legend[]> = {
  activity: ACTIVITIES.map((name, at) => ({ name, colour: ACTIVITY_COLOURS[at] ?? "--idle" })),
  satisfaction: [{ name: "not known", colour: "--idle" }, ...["very low", "low", "middling", "high", "very high"].map((name, at) => ({ name, colour: SCALE[at] ?? "--idle" }))],
  emotion: [{ name: "not reached", colour: "--idle" }, { name: "calm", colour: "--calm" }, { name: "moderate", colour: "--moved" }, { name: "intense", colour: "--intense" }],
  attitude: [{ name: "none", colour: "--idle" }, { name: "against", colour: "--against" }, { name: "undecided", colour: "--undecided" }, { name: "in favour", colour: "--favour" }],
  community: GROUPS.map((colour, at) => ({ name: `${at + 1}`, colour })),
};

const fifth = (value: number): number => 1 + Math.max(0, Math.min(4, Math.floor(value * 5)));
const sided = (stance: number): number => (stance < -0.05 ? 1 : stance > 0.05 ? 3 : 2);

/** The class of each person: what was folded goes before what the nodes say. */
export function classes(by: By, nodes: GraphNode[], live: Live): Uint8Array {
  const found = new Uint8Array(nodes.length);
  nodes.forEach((node, at) => { found[at] = one(by, node, live); });
  return found;
}

function one(by: By, node: GraphNode, live: Live): number {
  const id = node.id;
  switch (by) {
    case "activity": return live.activity[id] ?? 0;
    case "community": return Math.abs(node.community) % GROUPS.length;
    case "satisfaction": {
      const value = live.satisfaction[id] ?? node.satisfaction;
      return value == null ? 0 : fifth(value);
    }
    case "emotion": {
      const value = node.mood;
      return value == null ? 0 : 1 + Math.max(0, Math.min(2, Math.round(value)));
    }
    case "attitude": {
      const value = node.attitude;
      return value == null ? 0 : sided(value);
    }
  }
}

/** How many people of each community are of each class. */
export function shared(by: By, groups: Community[], of: Uint8Array, live: Live): number[][] {
  if (by === "activity") return doing(groups, of, live.activity);
  if (by === "community") return groups.map((one) => { const found = LEGENDS.community.map(() => 0); found[Math.abs(one.id) % GROUPS.length] = one.size; return found; });
  return groups.map((one) => one.shares?.[by] ?? [one.size]);
}

function doing(groups: Community[], of: Uint8Array, activity: number[]): number[][] {
  const place = new Map(groups.map((one, at) => [one.id, at]));
  const sums = groups.map((one) => [one.size, 0, 0, 0, 0]);
  activity.forEach((what, person) => {
    const sum = sums[place.get(of[person] ?? -1) ?? -1];
    if (sum && what) { sum[what] = (sum[what] ?? 0) + 1; sum[0] = Math.max(0, (sum[0] ?? 0) - 1); }
  });
  return sums;
}

/** All communities together. */
export function summed(shares: number[][], size: number): number[] {
  return Array.from({ length: size }, (_, kind) => shares.reduce((sum, one) => sum + (one[kind] ?? 0), 0));
}

export function tally(kinds: Uint8Array, size: number): number[] {
  const found = new Array<number>(size).fill(0);
  for (const kind of kinds) found[kind] = (found[kind] ?? 0) + 1;
  return found;
}
