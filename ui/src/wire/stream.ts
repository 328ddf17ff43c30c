// Server-sent events over fetch, so that the token travels in a header, with a catch-up on reconnect.

import { headers } from "./api";

export interface Message {
  event: string;
  id: string;
  data: string;
}

/** Feed text as it comes, get whole messages. Lines may end in CR, LF or both. */
export class Parser {
  private rest = "";
  private event = "";
  private id = "";
  private lines: string[] = [];

  push(text: string): Message[] {
    const found: Message[] = [];
    const whole = this.rest + text;
    const parts = whole.split(/\r\n|\n|\r(?!$)/);
    this.rest = parts.pop() ?? "";
    for (const line of parts) this.take(line, found);
    return found;
  }

  private take(line: string, found: Message[]): void {
    if (line === "") {
      if (this.lines.length) {
        found.push({ event: this.event || "message", id: this.id, data: this.lines.join("\n") });
      }
      this.event = "";
      this.lines = [];
      return;
    }
    const at = line.indexOf(":");
    if (at === 0) return;
    const field = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? "" : line.slice(at + 1).replace(/^ /, "");
    if (field === "data") this.lines.push(value);
    else if (field === "event") this.event = value;
    else if (field === "id") this.id = value;
  }
}

export type Link = "connecting" | "open" | "lost" | "closed";

export interface Following {
  close(): void;
}

const FIRST_WAIT = 300;
const LONGEST_WAIT = 5000;
const QUIET = 45_000;

/** Read a stream for ever; when it breaks, ask again for `path()`, which names what is still missing. */
export function follow(
  path: () => string,
  heard: (message: Message) => void,
  linked: (link: Link) => void,
): Following {
  const stop = new AbortController();
  void (async () => {
    let wait = FIRST_WAIT;
    linked("connecting");
    while (!stop.signal.aborted) {
      const ended = await once(path(), heard, () => { wait = FIRST_WAIT; linked("open"); }, stop.signal);
      if (stop.signal.aborted || ended === "gone") break;
      linked("lost");
      await pause(wait, stop.signal);
      wait = Math.min(LONGEST_WAIT, wait * 1.7);
    }
    linked("closed");
  })();
  return { close: () => stop.abort() };
}

async function once(
  path: string,
  heard: (message: Message) => void,
  opened: () => void,
  stop: AbortSignal,
): Promise<"ended" | "gone"> {
  const mine = new AbortController();
  const abort = () => mine.abort();
  stop.addEventListener("abort", abort);
  let quiet = window.setTimeout(abort, QUIET);
  try {
    const answer = await fetch(`/api${path}`, {
      headers: { ...headers(), Accept: "text/event-stream" }, signal: mine.signal, cache: "no-store",
    });
    if (answer.status === 404 || answer.status === 410) return "gone";
    if (!answer.ok || !answer.body) return "ended";
    opened();
    const parser = new Parser();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return "ended";
      window.clearTimeout(quiet);
      quiet = window.setTimeout(abort, QUIET);
      for (const message of parser.push(value)) heard(message);
    }
  } catch {
    return "ended";
  } finally {
    window.clearTimeout(quiet);
    stop.removeEventListener("abort", abort);
  }
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = window.setTimeout(done, ms);
    stop.addEventListener("abort", () => { window.clearTimeout(timer); done(); }, { once: true });
  });
}
