// The three memories of a person, with how much each thought matters and how far it has faded.

import { Bar, Empty } from "../parts/ui";
import type { Memory, Thought } from "../wire/types";

const STORES: ["sensory" | "short" | "long", string, string][] = [
  ["sensory", "Sensory", "The latest observations; most are dropped when the round ends."],
  ["short", "Short-term", "Kept for a while; what is repeated is strengthened and moves to long-term memory."],
  ["long", "Long-term", "Kept until it fades."],
];

export function Memories({ memory }: { memory: Memory | null }) {
  if (!memory) {
    return <Empty title="No memory">People in this run have no memory in words; a scenario with <code>memory = "recagent"</code> has.</Empty>;
  }
  return (
    <>
      {STORES.map(([store, name, about]) => (
        <section key={store} className="store"><h3>{name} <span className="faint">{memory[store].length}</span></h3>
          {memory[store].length ? <ul className="thoughts">{[...memory[store]].sort((a, b) => b.weight - a.weight).map((one) => <Line key={one.id} thought={one} />)}</ul> : <p className="faint small">{about}</p>}
        </section>
      ))}
      {memory.lost.length ? (
        <details className="store"><summary>Forgotten <span className="faint">{memory.lost.length}</span></summary>
          <ul className="thoughts">{[...memory.lost].reverse().slice(0, 50).map((one) => <Line key={one.id} thought={one} />)}</ul></details>
      ) : null}
    </>
  );
}

function Line({ thought }: { thought: Thought }) {
  const figures: [string, number, string][] = [["importance", thought.weight, ""], ["recency", thought.recency, "good"], ["fading", thought.forgetting, "warn"]];
  return (
    <li>
      <p>{thought.text}</p>
      <div className="thought-figures small">
        {figures.map(([name, value, tone]) => <span key={name}>{name} <Bar value={value} tone={tone} label={`${name} ${value.toFixed(2)}`} /> {value.toFixed(2)}</span>)}
        <span>{thought.kind} · round {thought.round}{thought.enhancers.length ? ` · strengthened ${thought.enhancers.length}×` : ""}{thought.why ? ` · ${thought.why}` : ""}</span>
      </div>
    </li>
  );
}
