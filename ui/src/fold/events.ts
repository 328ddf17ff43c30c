// Reading events, which travel as arrays: the tag, then the fields in the order of the schema.

import type { EventArray } from "../wire/types";

export const PHASES = ["opening", "visits", "conversations", "delivery", "memory", "closing"] as const;
export const OPENING = 0;
export const VISITS = 1;
export const CONVERSATIONS = 2;

export const tag = (event: EventArray): string => event[0];
export const number = (event: EventArray, at: number): number => Number(event[at] ?? 0);
export const text = (event: EventArray, at: number): string => String(event[at] ?? "");
export const numbers = (event: EventArray, at: number): number[] => (event[at] as number[] | undefined) ?? [];
export const texts = (event: EventArray, at: number): string[] => (event[at] as string[] | undefined) ?? [];

/** Kinds of events a reader may ask for, with the word shown. */
export const KINDS: [string, string][] = [
  ["SlateShown", "slates"], ["Searched", "searches"], ["Picked", "picks"], ["Watched", "watched"],
  ["Rated", "ratings"], ["Felt", "feelings"], ["Posted", "posts"], ["Forwarded", "forwards"],
  ["Said", "conversations"], ["Delivered", "deliveries"], ["Followed", "follows"], ["Unfollowed", "unfollows"],
  ["MoodShifted", "moods"], ["AttitudeShifted", "attitudes"],
  ["Woke", "arrivals"], ["Left", "departures"], ["Refused", "refused"], ["Failed", "failed"],
  ["Intervened", "interventions"], ["RecommenderFitted", "fits"],
];

export interface Known {
  person(id: number): string;
  item(id: number): string;
}

export type Piece =
  | { is: "words"; words: string }
  | { is: "person"; id: number }
  | { is: "item"; id: number }
  | { is: "quote"; words: string };

const words = (given: string): Piece => ({ is: "words", words: given });
const person = (id: number): Piece => ({ is: "person", id });
const item = (id: number): Piece => ({ is: "item", id });
const quote = (given: string): Piece => ({ is: "quote", words: given });

type Tell = (event: EventArray) => Piece[];

const stars = (count: number): string => "★".repeat(count) + "☆".repeat(Math.max(0, 5 - count));
const percent = (share: number): string => `${Math.round(share * 100)} %`;

const TELL: Record<string, Tell> = {
  Woke: () => [words("comes")],
  Searched: (e) => [words("searches for "), quote(text(e, 2)), words(` · ${number(e, 3)} found`)],
  Picked: (e) => [words("picks "), item(number(e, 2)), words(` · place ${number(e, 3) + 1}`)],
  Watched: (e) => [words("takes up "), item(number(e, 2)), words(` · ${percent(number(e, 3))}`)],
  Rated: (e) => [words("rates "), item(number(e, 2)), words(` ${stars(number(e, 3))}`)],
  Felt: (e) => [words("feels "), quote(text(e, 3))],
  Posted: (e) => [words("posts "), quote(text(e, 3))],
  Forwarded: (e) => [words("passes on "), person(number(e, 4)), words(": "), quote(text(e, 5))],
  Wished: (e) => [words("wants to talk with "), person(number(e, 2))],
  Said: (e) => [words("to "), person(number(e, 2)), words(": "), quote(text(e, 3))],
  Delivered: (e) => [words(`${numbers(e, 3).length.toLocaleString("en")} hear from `), person(number(e, 2)), words(": "), quote(text(e, 4))],
  Followed: (e) => [words("follows "), person(number(e, 2))],
  Unfollowed: (e) => [words("no longer follows "), person(number(e, 2))],
  Left: (e) => {
    const satisfied = e[2] == null ? "" : `, satisfied ${number(e, 2).toFixed(2)}`;
    return [words(`leaves${satisfied}${text(e, 3) ? ` · ${text(e, 3)}` : ""}`)];
  },
  Refused: (e) => [words(`may not ${text(e, 2)}: ${text(e, 3)}`)],
  Failed: (e) => [words(`failed: ${text(e, 2)}`)],
  MoodShifted: (e) => [words(`is ${["calm", "moved", "deeply moved"][number(e, 3)] ?? "moved"}`)],
  AttitudeShifted: (e) => [words(`holds a stance of ${number(e, 3).toFixed(1)}`)],
  RecommenderFitted: (e) => [words(`${text(e, 1)} is fitted on ${number(e, 2).toLocaleString("en")} interactions`)],
  RoundStarted: (e) => [words(`Round ${number(e, 1)} begins`)],
  RoundEnded: (e) => [words(`Round ${number(e, 1)} is over`)],
  Remembered: (e) => [words("remembers "), quote(text(e, 3))],
  Reflected: (e) => [words("realises "), quote(text(e, 3))],
  Intervened: (e) => [words(`Intervention: ${change(e[1])}`)],
};

/** Say an event in pieces, so that people and items in it can be opened; nothing for what is not told. */
export function tell(event: EventArray): Piece[] {
  return TELL[tag(event)]?.(event) ?? [];
}

/** Say a change in words. */
export function change(given: unknown): string {
  const { type, do: deed, round: _round, state: _state, ...rest } = given as { type?: string; do?: string } & Record<string, unknown>;
  const name = (type ?? deed ?? "change").replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll("_", " ").toLowerCase();
  const told = Object.entries(rest).filter(([, value]) => !empty(value)).map(([key, value]) => `${key} ${short(value)}`);
  return told.length ? `${name} · ${told.join(", ")}` : name;
}

function empty(value: unknown): boolean {
  return value == null || value === "" || (Array.isArray(value) && !value.length)
    || (typeof value === "object" && !Object.keys(value).length);
}

function short(value: unknown): string {
  if (Array.isArray(value)) return value.map(short).join(" ");
  if (typeof value === "object" && value !== null) {
    const named = value as { name?: string; title?: string };
    const fields = Object.entries(value).filter(([, one]) => !empty(one)).map(([key, one]) => `${key} ${short(one)}`);
    return named.name ?? named.title ?? fields.join(", ");
  }
  return String(value);
}

/** The words of a line, for searching. */
export function plain(pieces: Piece[], known: Known): string {
  return pieces.map((one) => {
    if (one.is === "person") return known.person(one.id);
    if (one.is === "item") return known.item(one.id);
    return one.words;
  }).join("");
}
