// Chapters as the server sends them, made by hand.

import type { AnyEvent, Chapter } from "../src/types.gen";

export function chapter(n: number, round: number, phase: number, agent: number, ...events: AnyEvent[]): Chapter {
  return { n, round, phase, rank: 7, agent, entries: events.map((event) => [event, "", []]) };
}

export const visit = (n: number, round: number, agent: number, ...events: AnyEvent[]) => chapter(n, round, 1, agent, ...events);
export const talk = (n: number, round: number, agent: number, ...events: AnyEvent[]) => chapter(n, round, 2, agent, ...events);
