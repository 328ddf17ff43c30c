// Views cut from the latest chapters: slates with what was picked, dialogues, the feed of posts.

import type { Chapter } from "../types.gen";
import type { Live, Post } from "./live";
import { CONVERSATIONS } from "./events";

export interface ShownItem {
  item: number;
  picked: boolean;
  fraction: number | null;
  stars: number;
  reason: string;
  chance: number | null;
}

export interface Slate {
  key: string;
  round: number;
  agent: number;
  page: number;
  surface: string;
  query: string;
  items: ShownItem[];
}

/** Return the slates of a chapter in the order shown, each with what came of its items. */
export function slatesOf(chapter: Chapter): Slate[] {
  const found: Slate[] = [];
  let query = "";
  for (const [event] of chapter.entries) {
    const last = found[found.length - 1];
    switch (event[0]) {
      case "Searched":
        query = event[2];
        break;
      case "SlateShown": {
        const surface = event[4] ?? "recommender";
        found.push({
          key: `${chapter.n}.${found.length}`, round: chapter.round, agent: event[1], page: event[3],
          surface, query: surface === "search" ? query : "",
          items: event[2].map((item) => ({ item, picked: false, fraction: null, stars: 0, reason: "", chance: null })),
        });
        break;
      }
      case "SlateAnnotated": {
        const [, , chances, reasons] = event;
        last?.items.forEach((one, at) => { one.reason = reasons?.[at] ?? ""; one.chance = chances?.[at] ?? null; });
        break;
      }
      case "Picked":
        set(found, event[2], (one) => { one.picked = true; });
        break;
      case "Watched": {
        const fraction = event[3];
        set(found, event[2], (one) => { one.fraction = fraction; });
        break;
      }
      case "Rated": {
        const stars = event[3];
        set(found, event[2], (one) => { one.stars = stars; });
        break;
      }
    }
  }
  return found;
}

function set(slates: Slate[], item: number, change: (one: ShownItem) => void): void {
  for (let at = slates.length - 1; at >= 0; at -= 1) {
    const found = slates[at]?.items.find((one) => one.item === item);
    if (found) return change(found);
  }
}

/** Return the latest slates, newest first. */
export function latestSlates(live: Live, most: number): Slate[] {
  const found: Slate[] = [];
  for (let at = live.chapters.length - 1; at >= 0 && found.length < most; at -= 1) {
    const chapter = live.chapters[at];
    if (chapter) found.push(...slatesOf(chapter).reverse());
  }
  return found.slice(0, most);
}

export interface Dialogue {
  key: string;
  /** The place of its first line among the events of its chapter. */
  step: number;
  round: number;
  people: number[];
  lines: { agent: number; to: number; text: string; voice: string; calls: string[] }[];
}

/** Return the latest dialogues, newest first, each with its lines in the order spoken. */
export function latestDialogues(live: Live, most: number): Dialogue[] {
  const found: Dialogue[] = [];
  for (let at = live.chapters.length - 1; at >= 0 && found.length < most; at -= 1) {
    const chapter = live.chapters[at];
    if (chapter?.phase !== CONVERSATIONS) continue;
    const lines = chapter.entries.flatMap(([event, , calls]) => (event[0] === "Said"
      ? [{ agent: event[1], to: event[2], text: event[3], voice: event[6] ?? "", calls: calls ?? [] }] : []));
    if (!lines.length) continue;
    const people = [...new Set(lines.flatMap((line) => [line.agent, line.to]))];
    found.push({ key: `${chapter.n}`, step: chapter.entries.findIndex(([event]) => event[0] === "Said"), round: chapter.round, people, lines });
  }
  return found;
}

/** Return the latest posts, newest first. */
export function latestPosts(live: Live, most: number): Post[] {
  return [...live.posts.values()].reverse().slice(0, most);
}
