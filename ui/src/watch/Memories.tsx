// The three memories of a person, with how much each thought matters and how far it has faded.

import { Bar, Empty } from "../parts/ui";
import type { Thought } from "../wire/types";

const STORES: [string, string, string][] = [
  ["sensory", "Sensory", "What was taken in this round; most of it is gone with the round."],
  ["short", "Short-term", "Kept for a while; what repeats is strengthened and settles."],
  ["long", "Long-term", "What stays, until it fades."],
];

export function Memories({ thoughts }: { thoughts: Thought[] }) {
  if (!thoughts.length) {
    return <Empty title="No memory">This person remembers nothing in words. Runs with a memory, such as <code>memory = "recagent"</code>, fill this.</Empty>;
  }
  return (
    <>{STORES.map(([store, name, about]) => {
      const mine = thoughts.filter((one) => one.store === store).sort((a, b) => b.weight - a.weight);
      return (
        <section key={store} className="store"><h3>{name} <span className="faint">{mine.length}</span></h3>
          {mine.length ? <ul className="thoughts">{mine.map((one) => <Line key={one.id} thought={one} />)}</ul> : <p className="faint small">{about}</p>}
        </section>
      );
    })}</>
  );
}

function Line({ thought }: { thought: Thought }) {
  const fading = thought.fading;
  return (
    <li>
      <p>{thought.text}</p>
      <div className="thought-figures small">
        <span>importance <Bar value={thought.weight} label={`importance ${thought.weight.toFixed(2)}`} /> {thought.weight.toFixed(2)}</span>
        {thought.recency == null ? null : <span>recency <Bar value={thought.recency} label={`recency ${thought.recency.toFixed(2)}`} /> {thought.recency.toFixed(2)}</span>}
        {fading == null ? null : <span>fading <Bar value={fading} tone="warn" label={`chance to be forgotten ${fading.toFixed(2)}`} /> {fading.toFixed(2)}</span>}
        <span className="faint">{thought.kind}{thought.round ? ` · round ${thought.round}` : ""}{thought.enhancers ? ` · strengthened ${thought.enhancers}×` : ""}</span>
      </div>
    </li>
  );
}
