// Watching: the state panel, the overview or the graph of people, and what they do.

import { memo } from "react";
import { useFeed } from "../fold/store";
import { useHere } from "../parts/context";
import { count } from "../parts/format";
import { useParam } from "../parts/route";
import { WordTip } from "../parts/Tip";
import { Bar, Panel, Tabs } from "../parts/ui";
import { Dialogues } from "../watch/Dialogues";
import { FindPerson } from "../watch/FindPerson";
import { Graph } from "../watch/Graph";
import { Overview } from "../watch/Overview";
import { Posts } from "../watch/Posts";
import { Slates } from "../watch/Slates";
import { Story } from "../watch/Story";

/** Up to so many people the graph can be taken in at a glance, and is shown first. */
const FEW = 100;

type View = "story" | "slates" | "dialogues" | "posts";

export const WatchTab = memo(function WatchTab() {
  const [view, setView] = useParam<View>("side", "story");
  return (
    <div className="watch">
      <StatePanel />
      <Middle />
      <section className="panel side" aria-label="What happens">
        <Tabs label="What happens" chosen={view} choose={setView} panel="what-happens" choices={[
          { is: "story", name: "Story" }, { is: "slates", name: "Pages" }, { is: "dialogues", name: "Dialogues" }, { is: "posts", name: "Posts" },
        ]} />
        <div id="what-happens" role="tabpanel" className="side-body" aria-label={view}>
          {view === "story" ? <Story /> : view === "slates" ? <Slates /> : view === "dialogues" ? <Dialogues /> : <Posts />}
        </div>
      </section>
    </div>
  );
});

/** What matters, or the graph, which is shown first where news spread or people are few. */
function Middle() {
  const { feed } = useHere();
  const people = feed.detail?.agents ?? 0;
  const isSpread = feed.names.topics.length > 0 || feed.live.newTopics.length > 0;
  const [chosen, setView] = useParam<"" | "overview" | "graph">("view", "");
  const view = chosen || (isSpread || people <= FEW ? "graph" : "overview");
  const tabs = <Tabs label="View" chosen={view} choose={setView} {...(view === "overview" ? { panel: "watch-view" } : {})} choices={[{ is: "overview", name: "Overview" }, { is: "graph", name: "Graph" }]} />;
  if (view === "graph") return <Graph tabs={tabs} />;
  return (
    <section className="panel middle" aria-label="Overview">
      <header className="panel-head">{tabs}<div className="tools"><FindPerson /></div></header>
      <div className="middle-body" id="watch-view" role="tabpanel" aria-label="Overview" tabIndex={0}><Overview /></div>
    </section>
  );
}

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
        {figures.map(([label, value]) => <div key={label}><dt>{label}<WordTip of={label} /></dt><dd>{count(value)}</dd></div>)}
        <div className="whole"><dt>Algorithm<WordTip of="Algorithm" /></dt><dd>{feed.control?.algorithm || "–"}</dd></div>
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
