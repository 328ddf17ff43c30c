// Saying events, which travel as arrays: the tag, then the fields in the order of the schema.

import { FIELDS, PHRASES, type AnyEvent } from "../types.gen";

export { PHASES } from "../types.gen";
export const OPENING = 0;
export const VISITS = 1;
export const CONVERSATIONS = 2;

/** Kinds of events a reader may ask for, with the word shown. */
export const KINDS: [AnyEvent[0], string][] = [
  ["SlateShown", "pages"], ["Searched", "searches"], ["Picked", "picks"], ["Watched", "watched"],
  ["Rated", "ratings"], ["Felt", "feelings"], ["Posted", "posts"], ["Forwarded", "forwards"],
  ["Said", "conversations"], ["Gathered", "gatherings"], ["Delivered", "deliveries"], ["Followed", "follows"], ["Unfollowed", "unfollows"],
  ["MoodShifted", "moods"], ["AttitudeShifted", "attitudes"],
  ["Woke", "arrivals"], ["Left", "departures"], ["Refused", "refused"], ["Failed", "failed"], ["Unfounded", "unfounded mentions"],
  ["Intervened", "interventions"], ["RecommenderFitted", "fits"],
  ...(Object.keys(PHRASES) as AnyEvent[0][]).map((kind): [AnyEvent[0], string] => [kind, kind.toLowerCase()]),
];

export interface Known {
  person(id: number): string;
  item(id: number): string;
  topic(id: number): string;
}

export type Piece =
  | { is: "words"; words: string }
  | { is: "person"; id: number }
  | { is: "item"; id: number }
  | { is: "topic"; id: number }
  | { is: "quote"; words: string };

const words = (given: string): Piece => ({ is: "words", words: given });
const person = (id: number): Piece => ({ is: "person", id });
const item = (id: number): Piece => ({ is: "item", id });
const topic = (id: number): Piece => ({ is: "topic", id });
const quote = (given: string): Piece => ({ is: "quote", words: given });

const stars = (count: number): string => "★".repeat(count) + "☆".repeat(Math.max(0, 5 - count));
const percent = (share: number): string => `${Math.round(share * 100)} %`;
const LEVELS = ["calm", "moved", "deeply moved"];
const view = (stance: number): string => (stance > 0 ? "in favour" : stance < 0 ? "against" : "without a view");

type Tellers = { [E in AnyEvent as E[0]]?: (event: E) => Piece[] };

const TELL: Tellers = {
  Woke: () => [words("comes")],
  Searched: ([, , query, found]) => [words("searches for "), quote(query), words(` · ${found} found`)],
  Picked: ([, , one, position]) => [words("picks "), item(one), words(` · place ${position + 1}`)],
  Watched: ([, , one, fraction]) => [words("takes up "), item(one), words(` · ${percent(fraction)}`)],
  Rated: ([, , one, given]) => [words("rates "), item(one), words(` ${stars(given)}`)],
  Felt: ([, , , said]) => [words("feels "), quote(said)],
  Posted: ([, , , said]) => [words("posts "), quote(said)],
  Forwarded: ([, , , , author, said]) => [words("passes on "), person(author), words(": "), quote(said)],
  Wished: ([, , to]) => [words("wants to talk with "), person(to)],
  Said: ([, , to, said]) => [words("to "), person(to), words(": "), quote(said)],
  Delivered: ([, , author, to, said]) => [words(`${to.length.toLocaleString("en")} hear from `), person(author), words(": "), quote(said)],
  Followed: ([, , who]) => [words("follows "), person(who)],
  Unfollowed: ([, , who]) => [words("no longer follows "), person(who)],
  Left: ([, , satisfaction, why]) => [words(`leaves${satisfaction == null ? "" : `, satisfied ${satisfaction.toFixed(2)}`}${why ? ` · ${why}` : ""}`)],
  Refused: ([, , action, why]) => [words(`may not ${action}: ${why}`)],
  Failed: ([, , why]) => [words(`failed: ${why}`)],
  Gathered: ([, , members, , , one, rule]) => [words(`${members.length} gather and choose `), item(one), words(` · ${rule}`)],
  Parted: ([, , one, , satisfaction]) => [words("has seen "), item(one), words(` in a group, satisfaction ${satisfaction.toFixed(2)}`)],
  Unfounded: ([, , titles]) => [words(`mentions titles they cannot know: ${titles.join(", ")}`)],
  MoodShifted: ([, , one, level]) => [words(`is ${LEVELS[level] ?? "moved"}`), topic(one)],
  AttitudeShifted: ([, , one, stance]) => [words(`is ${view(stance)}`), topic(one)],
  RecommenderFitted: ([, kind, interactions]) => [words(`${kind} is fitted on ${interactions.toLocaleString("en")} interactions`)],
  RoundStarted: ([, round]) => [words(`Round ${round} begins`)],
  RoundEnded: ([, round]) => [words(`Round ${round} is over`)],
  Remembered: ([, , , said]) => [words("remembers "), quote(said)],
  Reflected: ([, , , said]) => [words("realises "), quote(said)],
  Intervened: ([, change_]) => [words(`Intervention: ${change(change_)}`)],
};

/** Say an event in pieces, so that people and items in it can be opened; nothing for what is not told. */
export function tell(event: AnyEvent): Piece[] {
  const teller = TELL[event[0]] as ((event: AnyEvent) => Piece[]) | undefined;
  return teller?.(event) ?? declared(event);
}

/** Say an event by the phrase it was declared with, if it has one. */
function declared(event: AnyEvent): Piece[] {
  const [before, after] = (PHRASES[event[0]] ?? "").replace("{name} ", "").split("{item}");
  const place = (FIELDS[event[0]] as readonly string[]).indexOf("item");
  if (!before) return [];
  return place < 0 || after === undefined ? [words(before)] : [words(before), item(event[place + 1] as number), words(after)];
}

/** Say a change in words, from its typed form or as a scenario writes it. */
export function change(given: object): string {
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

/** What a feeling or a view is about, as the end of a line. */
export function on(known: Known, id: number): string {
  const name = known.topic(id);
  return name ? ` · ${name}` : "";
}

/** The words of a line, for searching. */
export function plain(pieces: Piece[], known: Known): string {
  return pieces.map((one) => {
    if (one.is === "person") return known.person(one.id);
    if (one.is === "item") return known.item(one.id);
    if (one.is === "topic") return on(known, one.id);
    return one.words;
  }).join("");
}
