// The one door to the server: JSON in, JSON out, the token on what changes something.

const KEPT = "audience-token";
let token = "";
let isOpen = true;

export class Told extends Error {
  constructor(message: string, readonly where: string, readonly status: number) {
    super(message);
  }
}

/** Take the token out of the address, so that it is neither shown nor shared. */
export function takeToken(): void {
  const found = /[#&]token=([^&]+)/.exec(location.hash);
  if (found?.[1]) {
    keepToken(decodeURIComponent(found[1]));
    history.replaceState(null, "", location.pathname + "#/");
  } else {
    token = sessionStorage.getItem(KEPT) ?? "";
  }
}

export function keepToken(given: string): void {
  token = given;
  sessionStorage.setItem(KEPT, given);
}

/** Whether reading needs the token too: the server is reached from elsewhere. */
export const needsTickets = (): boolean => !isOpen;

export function readingIsFree(free: boolean): void {
  isOpen = free;
}

export function headers(): Record<string, string> {
  return token ? { "X-Audience-Token": token } : {};
}

async function fetched(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`/api${path}`, { ...init, headers: { ...headers(), ...init.headers } });
  } catch {
    throw new Told("The server does not answer. Is `audience serve` still running?", "", 0);
  }
}

/** A server that was started again has another token; on this machine it gives it to the page. */
async function renewed(): Promise<boolean> {
  const session = await fetched("/session", {});
  const found = session.ok ? ((await session.json()) as { token?: string }).token : undefined;
  if (!found || found === token) return false;
  keepToken(found);
  return true;
}

async function asked<T>(path: string, init: RequestInit): Promise<T> {
  let answer = await fetched(path, init);
  if (answer.status === 401 && isOpen && await renewed()) answer = await fetched(path, init);
  const text = await answer.text();
  const found: unknown = text ? parsed(text) : null;
  if (!answer.ok) {
    const told = (found ?? {}) as { error?: string; where?: string };
    throw new Told(told.error ?? `The server answered ${answer.status}.`, told.where ?? "", answer.status);
  }
  return found as T;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return asked<T>(path, signal ? { signal } : {});
}

export function send<T>(path: string, body: unknown, method = "POST"): Promise<T> {
  return asked<T>(path, {
    method,
    headers: { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

export function query(fields: Record<string, string | number | null | undefined>): string {
  const found = new URLSearchParams();
  for (const [key, value] of Object.entries(fields)) {
    if (value !== null && value !== undefined && value !== "") found.set(key, String(value));
  }
  const text = found.toString();
  return text ? `?${text}` : "";
}

/** A file of the server, for what cannot send the token itself, such as an image. */
export async function fetchBlob(path: string): Promise<Blob> {
  const answer = await fetched(path, {});
  if (!answer.ok) throw new Told(`The server answered ${answer.status}.`, "", answer.status);
  return answer.blob();
}

export const labPath = (id: string): string => `/lab/results/${encodeURIComponent(id)}`;
export const experimentPath = (id: string): string => `/experiments/${encodeURIComponent(id)}`;
export const runPath = (id: string): string => `/runs/${encodeURIComponent(id)}`;
