// Chapters as the server sends them, made by hand.

import type { ChapterMessage, EventArray } from "../src/wire/types";

export function chapter(n: number, round: number, phase: number, agent: number, ...events: EventArray[]): ChapterMessage {
  return { n, round, phase, rank: 7, agent, entries: events.map((event) => [event, "", []]) };
}

export const visit = (n: number, round: number, agent: number, ...events: EventArray[]) => chapter(n, round, 1, agent, ...events);
export const talk = (n: number, round: number, agent: number, ...events: EventArray[]) => chapter(n, round, 2, agent, ...events);
