// Answers as one reads them: filtered, and shares in words.

import type { Answer, AnswerCounts } from "../wire/types";

/** The answers that hold all words and this choice. */
export function filtered(answers: readonly Answer[], words: string, choice: string): Answer[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return answers.filter((one) => {
    if (choice && one.choice !== choice) return false;
    const text = `${one.name} ${one.text} ${one.choice}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

const whole = (share: number): string => `${Math.round(share * 100)}`;

/** A share with its interval, such as “40 % (22 to 61)”. */
export function shareWords(share: number | null, low: number | null, high: number | null): string {
  if (share === null) return "–";
  return low === null || high === null ? `${whole(share)} %` : `${whole(share)} % (${whole(low)} to ${whole(high)})`;
}

/** The reach of an interval of a share, such as “22 to 61 %”. */
export const reach = (low: number | null, high: number | null): string => (low === null || high === null ? "" : `${whole(low)} to ${whole(high)} %`);

/** The kinds of segments that a table has, in order. */
export function kindsOf(segments: readonly AnswerCounts[]): string[] {
  return [...new Set(segments.map((one) => one.by))];
}

/** The options that one typed: by commas or lines, each once; `1-5` stays a scale. */
export function optionsIn(typed: string): string[] {
  return [...new Set(typed.split(/[,\n/]/).map((one) => one.trim()).filter(Boolean))];
}
