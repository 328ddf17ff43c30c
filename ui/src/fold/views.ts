// Views cut from the latest chapters: slates with what was picked, dialogues, the feed of posts.

import type { ChapterMessage } from "../wire/types";
import type { Live, Post } from "./live";
import { CONVERSATIONS, number, numbers, tag, text, texts } from "./events";

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
export function slatesOf(chapter: ChapterMessage): Slate[] {
  const found: Slate[] = [];
  let query = "";
  for (const [event] of chapter.entries) {
    const last = found[found.length - 1];
    switch (tag(event)) {
      case "Searched":
        query = text(event, 2);
        break;
      case "SlateShown": {
        const surface = event[4] === undefined ? "recommender" : text(event, 4);
        found.push({
          key: `${chapter.n}.${found.length}`, round: chapter.round, agent: number(event, 1), page: number(event, 3),
          surface, query: surface === "search" ? query : "",
          items: numbers(event, 2).map((item) => ({ item, picked: false, fraction: null, stars: 0, reason: "", chance: null })),
        });
        break;
      }
      case "SlateAnnotated":
        last?.items.forEach((one, at) => {
          one.reason = texts(event, 3)[at] ?? "";
          one.chance = (event[2] as (number | null)[] | undefined)?.[at] ?? null;
        });
        break;
      case "Picked":
        set(found, number(event, 2), (one) => { one.picked = true; });
        break;
      case "Watched":
        set(found, number(event, 2), (one) => { one.fraction = number(event, 3); });
        break;
      case "Rated":
        set(found, number(event, 2), (one) => { one.stars = number(event, 3); });
        break;
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
    const said = chapter.entries.filter(([event]) => tag(event) === "Said");
    if (!said.length) continue;
    const lines = said.map(([event, , calls]) => ({
      agent: number(event, 1), to: number(event, 2), text: text(event, 3), voice: text(event, 6), calls: calls ?? [],
    }));
    const people = [...new Set(lines.flatMap((line) => [line.agent, line.to]))];
    found.push({ key: `${chapter.n}`, round: chapter.round, people, lines });
  }
  return found;
}

/** Return the latest posts, newest first. */
export function latestPosts(live: Live, most: number): Post[] {
  return [...live.posts.values()].reverse().slice(0, most);
}
