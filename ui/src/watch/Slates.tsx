// Pages as they were shown, with what was picked, and where on the page it stood.

import { memo } from "react";
import { useFeed } from "../fold/store";
import { latestSlates, type Slate } from "../fold/views";
import { useHere } from "../parts/context";
import { percent, stars } from "../parts/format";
import { Empty } from "../parts/ui";
import { PersonLink } from "./Told";

export function Slates() {
  const { feed, live } = useHere();
  useFeed(feed, 2);
  const slates = latestSlates(live, 40);
  if (!slates.length) return <Empty title="No pages shown yet">Pages of recommendations and of search results appear here as people see them.</Empty>;
  return (
    <div className="scroll slates" tabIndex={0} role="region" aria-label="Pages">
      {slates.map((one) => <SlateCard key={one.key} slate={one} sign={one.items.map((item) => `${item.picked}${item.stars}`).join("")} />)}
    </div>
  );
}

const SlateCard = memo(function SlateCard({ slate }: { slate: Slate; sign: string }) {
  const { feed } = useHere();
  const picks = slate.items.filter((one) => one.picked).length;
  return (
    <article className="slate">
      <header><PersonLink id={slate.agent} />
        <span className="faint small">round {slate.round} · {slate.surface === "search" ? `search “${slate.query}”` : `page ${slate.page + 1}`} · {picks ? `${picks} picked` : "nothing picked"}</span></header>
      <ol>{slate.items.map((one, place) => (
        <li key={place} className={one.picked ? "picked" : ""}>
          <span className="place" aria-hidden="true">{place + 1}</span>
          <span className="cut">{feed.item(one.item)}{one.reason ? <span className="faint small"> · {one.reason}</span> : null}</span>
          <span className="small came">{one.picked ? <>✓ picked{one.fraction !== null ? ` · ${percent(one.fraction)}` : ""}{one.stars ? ` · ${stars(one.stars)}` : ""}</> : null}</span>
        </li>
      ))}</ol>
    </article>
  );
}, (a, b) => a.slate.key === b.slate.key && a.sign === b.sign);
