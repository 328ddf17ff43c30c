// What every panel of a run may reach for.

import { createContext, useContext } from "react";
import type { Feed } from "../fold/feed";
import type { Live } from "../fold/live";
import type { Session } from "../wire/types";
import type { Theme } from "./theme";

export interface Here {
  feed: Feed;
  session: Session;
  theme: Theme;
  /** The round travelled to; null: the present. */
  at: number | null;
  /** The fold of what is looked at: the present, or the round travelled to. */
  live: Live;
  /** Changes when the fold of a past round grows. */
  liveVersion: number;
  travel(at: number | null): void;
  openPerson(id: number): void;
  openCall(key: string): void;
}

export const HereContext = createContext<Here | null>(null);

export function useHere(): Here {
  const found = useContext(HereContext);
  if (!found) throw new Error("outside of a run");
  return found;
}
