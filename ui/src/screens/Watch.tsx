// Watching: the state panel, the graph of people, and what they do.

import { memo } from "react";
import { useFeed } from "../fold/store";
import { useHere } from "../parts/context";
import { count } from "../parts/format";
import { useParam } from "../parts/route";
import { Bar, Panel, Tabs } from "../parts/ui";
import { Dialogues } from "../watch/Dialogues";
import { Graph } from "../watch/Graph";
import { Posts } from "../watch/Posts";
import { Slates } from "../watch/Slates";
import { Story } from "../watch/Story";

type View = "story" | "slates" | "dialogues" | "posts";

export const WatchTab = memo(function WatchTab() {
  const [view, setView] = useParam<View>("side", "story");
  return (
    <div className="watch">
      <StatePanel />
      <Graph />
      <section className="panel side" aria-label="What happens">
        <Tabs label="What happens" chosen={view} choose={setView} panel="what-happens" choices={[
          { is: "story", name: "Story" }, { is: "slates", name: "Slates" }, { is: "dialogues", name: "Dialogues" }, { is: "posts", name: "Posts" },
        ]} />
        <div id="what-happens" role="tabpanel" className="side-body" aria-label={view}>
          {view === "story" ? <Story /> : view === "slates" ? <Slates /> : view === "dialogues" ? <Dialogues /> : <Posts />}
        </div>
      </section>
    </div>
  );
});

function StatePanel() {
  const { feed, at } = useHere();
  useFeed(feed, 2);
  const panel = feed.panel;
  if (!panel) return null;
  const figures: [string, number][] = [
    ["People", panel.people], ["Here now", panel.here_now], ["Items", panel.items], ["Interactions", panel.interactions],
    ["Links", panel.links], ["Chats", panel.chats], ["Posts", panel.posts],
  ];
  const most = panel.most_popular[0]?.count || 1;
  return (
    <Panel title={at === null ? "State" : "Current state"} className="state-panel">
      <dl className="state-figures">
        {figures.map(([label, value]) => <div key={label}><dt>{label}</dt><dd>{count(value)}</dd></div>)}
        <div className="whole"><dt>Algorithm</dt><dd>{feed.control?.algorithm || "–"}</dd></div>
      </dl>
      <h3>Most popular</h3>
      {panel.most_popular.length ? (
        <ol className="popular">{panel.most_popular.slice(0, 8).map((one) => (
          <li key={one.item}><span className="cut" title={one.title}>{one.title}</span><span className="number small">{count(one.count)}</span>
            <Bar value={one.count / most} label={`${one.count} picks`} /></li>
        ))}</ol>
      ) : <p className="faint small">Nothing was picked yet.</p>}
    </Panel>
  );
}
