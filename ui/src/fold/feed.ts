// One run as the page follows it: the stream, its fold, and those who want to know of news.

import { get, runPath } from "../wire/api";
import { follow, type Following, type Link, type Message } from "../wire/stream";
import type { ActivityReply, Chapter, Control, Names, Panel, RunDetail, Stand, Values } from "../wire/types";
import type { Known } from "./events";
import { Live } from "./live";

/** How many chapters before the present a page begins with; what is older is asked for when wanted. */
const BACK = 1500;

export class Feed implements Known {
  version = 0;
  live = new Live();
  link: Link = "connecting";
  detail: RunDetail | null = null;
  control: Control | null = null;
  panel: Panel | null = null;
  problem = "";
  names: Names = { people: [], items: [], tags: [], topics: [] };
  /** Metrics that came since the page was opened, by round. */
  measured = new Map<number, Values>();
  /** Whether the server told of emotions and attitudes; the fold notices those that come later. */
  hasMoods = false;
  hasAttitudes = false;
  private listeners = new Set<() => void>();
  private following: Following | null = null;
  private closed = false;

  constructor(readonly id: string) {}

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => { this.listeners.delete(listener); };
  }

  async open(): Promise<void> {
    this.problem = "";
    try {
      const [detail, doing] = await Promise.all([get<RunDetail>(runPath(this.id)), get<ActivityReply>(`${runPath(this.id)}/activity`)]);
      if (this.closed) return;
      void this.learnNames();
      this.take(detail);
      this.live = new Live(Math.max(0, (detail.n ?? 0) - BACK), doing);
      this.connect();
    } catch (failure) {
      this.problem = failure instanceof Error ? failure.message : String(failure);
    }
    this.tell();
  }

  /** Names of a million people take a while: until they are here, people and items go by number. */
  private async learnNames(): Promise<void> {
    this.names = await get<Names>(`${runPath(this.id)}/names`).catch(() => this.names);
    this.tell();
  }

  close(): void {
    this.closed = true;
    this.following?.close();
  }

  person(id: number): string {
    if (id < 0) return "the platform";
    return this.live.newPeople.get(id) ?? this.names.people[id] ?? `person ${id}`;
  }

  item(id: number): string {
    return this.live.newItems.get(id) ?? this.names.items[id] ?? `item ${id}`;
  }

  topic(id: number): string {
    const { topics } = this.names;  // the fold may have heard of some of these again
    return topics[id] ?? this.live.newTopics.filter((name) => !topics.includes(name))[id - topics.length] ?? "";
  }

  private take(detail: RunDetail): void {
    this.detail = detail;
    this.control = detail.control;
    this.panel = detail.panel;
  }

  private connect(): void {
    this.following = follow(
      () => `${runPath(this.id)}/stream?after=${this.live.after}`,
      (message) => this.hear(message),
      (link) => { this.link = link; this.tell(); },
    );
  }

  private hear(message: Message): void {
    switch (message.event) {
      case "chapter":
        if (!this.live.take(JSON.parse(message.data) as Chapter)) return;
        break;
      case "state":
        this.stated(JSON.parse(message.data) as Stand);
        break;
      case "metrics": {
        const { round, values } = JSON.parse(message.data) as { round: number; values: Values };
        this.measured.set(round, values);
        break;
      }
      case "reset":
        this.begunAgain(JSON.parse(message.data) as { after: number; again: boolean });
        break;
      default:
        return;
    }
    this.tell();
  }

  private stated(given: Stand): void {
    this.control = { ...this.control, ...given.control };
    if (given.panel) this.panel = given.panel;
  }

  /** The stream goes on from another number: the run was set back, or this page was far behind. */
  private begunAgain({ after, again }: { after: number; again: boolean }): void {
    if (again) {
      this.live = new Live(0);
      this.measured.clear();
    } else {
      this.live.after = Math.max(after, this.live.after);
    }
  }

  private tell(): void {
    this.version += 1;
    for (const listener of this.listeners) listener();
  }
}
