// Replies of models as one reads them.

/** A reply with its JSON indented, also inside a fence; any other text as it is. */
export function pretty(text: string): string {
  const bare = text.trim().replace(/^```(?:json)?\s*/i, "").replace(/\s*```$/, "");
  if (!/^[[{]/.test(bare)) return text;
  try { return JSON.stringify(JSON.parse(bare), null, 2); } catch { return text; }
}

const ROLES: Record<string, string> = { system: "System: the rules", user: "User: what the person is told and asked", assistant: "Assistant: what the model said before" };
export const roleWords = (role: string): string => ROLES[role] ?? role;

const OUTCOMES: Record<string, string> = {
  reply: "answered", refusal: "refused by the model", timeout: "no answer in time", unreadable: "answer could not be read", error: "failed",
};
export const outcomeWords = (outcome: string): string => OUTCOMES[outcome] ?? outcome;

/** Seconds of one call, in tenths where that says something. */
export const latency = (seconds: number): string => (seconds < 0.05 ? "< 0.1 s" : seconds < 20 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`);
