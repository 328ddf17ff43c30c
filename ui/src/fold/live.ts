// What the page knows of a run: a fold of the chapters as they arrive. No fact is counted twice.

import type { AnyChange, AnyEvent, Chapter, Delivered } from "../types.gen";
import { CONVERSATIONS, VISITS } from "./events";

export const ACTIVITIES = ["idle", "browsing", "watching", "chatting", "posting"] as const;
export type Activity = (typeof ACTIVITIES)[number];
const [IDLE, BROWSING, WATCHING, CHATTING, POSTING] = [0, 1, 2, 3, 4] as const;

export const DOING: Partial<Record<string, number>> = {
  Entered: BROWSING, SlateShown: BROWSING, Searched: BROWSING,
  Picked: WATCHING, Watched: WATCHING, Rated: WATCHING,
  Wished: CHATTING, Said: CHATTING, Posted: POSTING, Forwarded: POSTING,
};

export interface Post {
  id: string;
  n: number;
  /** Its place among the events of its chapter. */
  step: number;
  round: number;
  author: number;
  text: string;
  reach: number;
  forwards: number;
  source: string;
}

const KEPT_CHAPTERS = 1200;
const KEPT_POSTS = 400;

/** Mutable on purpose: a thousand people change ten times a second, and panels read at their own pace. */
export class Live {
  /** Arrival number of the last chapter taken in. */
  after: number;
  round = 0;
  /** What each person did last in this round. */
  activity: number[] = [];
  satisfaction: number[] = [];
  mood: number[] = [];
  attitude: number[] = [];
  hasMoods = false;
  hasAttitudes = false;
  /** The latest chapters worth telling, oldest first. */
  chapters: Chapter[] = [];
  posts = new Map<string, Post>();
  /** How often ties or people changed. */
  ties = 0;
  newPeople = new Map<number, string>();
  newItems = new Map<number, string>();
  /** Topics raised since the page knows the names of the others. */
  newTopics: string[] = [];
  /** Who did something since somebody last looked. */
  touched = new Set<number>();
  here = 0;

  /** `doing` is what people have done in the open round before the first chapter that is taken in. */
  constructor(after = 0, doing?: { round: number; activity: [number, number][] }) {
    this.after = after;
    if (!doing) return;
    this.round = doing.round;
    for (const [who, what] of doing.activity) this.activity[who] = what;
    this.here = doing.activity.length;
  }

  /** Take in a chapter; say whether it was news. */
  take(chapter: Chapter): boolean {
    if (chapter.n <= this.after) return false;
    this.after = chapter.n;
    if (chapter.round > this.round) this.begin(chapter.round);
    let doing = IDLE as number;
    for (const [event] of chapter.entries) {
      this.apply(event, chapter);
      doing = Math.max(doing, DOING[event[0]] ?? IDLE);
    }
    if (chapter.round === this.round) {
      if (chapter.phase === VISITS && chapter.agent >= 0) this.mark(chapter.agent, doing || BROWSING);
      if (chapter.phase === CONVERSATIONS) this.marked(chapter);
    }
    if (worthTelling(chapter)) this.keep(chapter);
    return true;
  }

  private begin(round: number): void {
    this.round = round;
    this.activity.fill(IDLE);
    this.here = 0;
  }

  private mark(agent: number, doing: number): void {
    if (!this.activity[agent]) this.here += 1;
    this.activity[agent] = doing;
    this.touched.add(agent);
  }

  private marked(chapter: Chapter): void {
    for (const [event] of chapter.entries) {
      if (event[0] === "Said") {
        this.mark(event[1], CHATTING);
        this.mark(event[2], CHATTING);
      }
      if (event[0] === "Gathered") for (const member of event[2]) this.mark(member, WATCHING);
    }
  }

  private keep(chapter: Chapter): void {
    this.chapters.push(chapter);
    if (this.chapters.length > KEPT_CHAPTERS * 1.25) {
      this.chapters = this.chapters.slice(-KEPT_CHAPTERS);
    }
  }

  private apply(event: AnyEvent, chapter: Chapter): void {
    switch (event[0]) {
      case "Left":
        if (event[2] != null) this.satisfaction[event[1]] = event[2];
        break;
      case "MoodShifted":
        this.hasMoods = true;
        this.mood[event[1]] = event[3];
        break;
      case "AttitudeShifted":
        this.hasAttitudes = true;
        this.attitude[event[1]] = event[3];
        break;
      case "Posted":
        this.post(event[2], event[1], event[3], "", chapter);
        break;
      case "Forwarded":
        this.post(event[2], event[1], event[5], event[3], chapter);
        this.forwarded(event[3]);
        break;
      case "Delivered":
        this.delivered(event, chapter);
        break;
      case "Followed": case "Unfollowed":
        this.ties += 1;
        break;
      case "Intervened":
        this.intervened(event[1]);
        break;
    }
  }

  private post(id: string, author: number, words: string, source: string, chapter: Chapter): void {
    this.posts.set(id, {
      id, author, text: words, source, n: chapter.n, step: chapter.entries.findIndex(([one]) => one[2] === id || one[1] === id), round: chapter.round, reach: 0, forwards: 0,
    });
    if (this.posts.size > KEPT_POSTS) {
      const oldest = this.posts.keys().next().value;
      if (oldest !== undefined) this.posts.delete(oldest);
    }
  }

  private forwarded(source: string): void {
    const found = this.posts.get(source);
    if (found) this.posts.set(source, { ...found, forwards: found.forwards + 1 });
  }

  private delivered([, id, author, to, words]: Delivered, chapter: Chapter): void {
    if (!this.posts.has(id)) this.post(id, author, words, "", chapter);
    const found = this.posts.get(id);
    if (found) this.posts.set(id, { ...found, reach: found.reach + to.length });
  }

  private intervened(change: AnyChange): void {
    if (change.type === "AddPerson") this.newPeople.set(change.profile.id, change.profile.name || `person ${change.profile.id}`);
    if (change.type === "Raise") this.newTopics.push(change.topic.name);
    if (change.type === "AddItem") this.newItems.set(change.item.id, change.item.title);
    if (change.type === "AddPerson" || change.type === "AddTie" || change.type === "CutTie") this.ties += 1;
  }
}

const UNTOLD = new Set<AnyEvent[0]>(["RunStarted", "Recalled", "TasteShifted", "Enhanced", "Settled", "Merged", "Forgot", "Remembered", "Reflected"]);

/** Say whether a reader wants to hear of a chapter: what memories do by themselves is told elsewhere. */
export function worthTelling(chapter: Chapter): boolean {
  return chapter.entries.some(([event]) => !UNTOLD.has(event[0]));
}
