// A round of the past, folded from its chapters as the present one is.

import { useEffect, useState } from "react";
import { get, query, runPath } from "../wire/api";
import { follow, type Following } from "../wire/stream";
import type { Chapter, StoryLine } from "../wire/types";
import type { Feed } from "./feed";
import { Live } from "./live";

export interface Then {
  live: Live;
  version: number;
}

/** What happened in the round travelled to; nothing in the present. */
export function useThen(feed: Feed, at: number | null): Then | null {
  const [then, setThen] = useState<(Then & { at: number }) | null>(null);
  useEffect(() => {
    if (at === null) { setThen(null); return; }
    const stop = new AbortController();
    let following: Following | null = null;
    let timer = 0;
    const tell = (live: Live) => {
      timer ||= window.setTimeout(() => { timer = 0; setThen({ live, version: live.after, at }); }, 150);
    };
    get<StoryLine[]>(`${runPath(feed.id)}/story${query({ round: at, limit: 1 })}`, stop.signal).then(([first]) => {
      const live = new Live(first ? first.n - 1 : 0);
      tell(live);
      if (!first) return;
      following = follow(() => `${runPath(feed.id)}/stream?after=${live.after}`, ({ event, data }) => {
        if (event !== "chapter") return;
        const chapter = JSON.parse(data) as Chapter;
        if (chapter.round > at) { following?.close(); return; }
        if (live.take(chapter)) tell(live);
      }, () => undefined);
    }, () => undefined);
    return () => { stop.abort(); following?.close(); window.clearTimeout(timer); };
  }, [feed, at]);
  return then && then.at === at ? then : null;
}
