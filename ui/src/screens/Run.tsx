// One run: its controls, where it stands, and what one does with it.

import { useCallback, useEffect, useMemo, useState } from "react";
import { Feed } from "../fold/feed";
import { Live } from "../fold/live";
import { useFeed } from "../fold/store";
import { useThen } from "../fold/then";
import { HereContext, type Here } from "../parts/context";
import { useKeys } from "../parts/keys";
import { TABS, TAB_NAMES, tabAddress, useHash, useNumber, useParam, type Tab } from "../parts/route";
import type { Theme } from "../parts/theme";
import { Problem } from "../parts/ui";
import { CallSheet } from "../watch/CallSheet";
import { NoteSheet } from "../watch/NoteSheet";
import { ControlBar, useControl } from "../watch/ControlBar";
import { PersonDrawer } from "../watch/PersonDrawer";
import type { Session } from "../wire/types";
import { AskTab } from "./Ask";
import { BranchTab } from "./Branch";
import { CallsTab } from "./Calls";
import { ChangeTab } from "./Change";
import { MeasuresTab } from "./Measures";
import { NotesTab } from "./Notes";
import { PeopleTab } from "./People";
import { PartTab } from "./Part";
import { ScenarioTab } from "./Scenario";
import { WatchTab } from "./Watch";

const NOTHING = new Live();

function useRun(id: string): Feed {
  const [feed, setFeed] = useState(() => new Feed(id));
  useEffect(() => {
    const mine = feed.id === id ? feed : new Feed(id);
    if (mine !== feed) setFeed(mine);
    void mine.open();
    return () => { mine.close(); };
  }, [id]);
  return feed;
}

export function RunScreen({ id, tab, session, theme }: { id: string; tab: Tab; session: Session; theme: Theme }) {
  const feed = useRun(id);
  useFeed(feed, 1);
  const hash = useHash();
  const [wanted, setAt] = useNumber("round", "replace");
  const [person, setPerson] = useNumber("person");
  const [call, setCall] = useParam("call", "");
  const [note, setNote] = useParam("note", "");
  const last = feed.control?.round;
  const at = wanted === null || last === undefined ? null : Math.min(last, wanted);
  const travel = useCallback((to: number | null) => {
    setAt(to === null ? null : Math.max(0, Math.min(feed.control?.round ?? 0, to)));
  }, [feed, setAt]);
  const then = useThen(feed, at);
  const present = feed.live;
  const here: Here = useMemo(
    () => ({
      feed, session, theme, at, travel, openPerson: setPerson, openCall: setCall,
      live: at === null ? present : then?.live ?? NOTHING, liveVersion: then?.version ?? 0,
    }),
    [feed, session, theme, at, travel, setPerson, setCall, present, then],
  );
  const control = useControl(feed);
  const now = feed.control?.round ?? 0;
  useKeys({
    " ": () => control.act(feed.control?.state === "running" ? "pause" : "play"),
    ".": () => control.act("step_visit"), ",": () => control.act("step_round"),
    "[": () => travel((at ?? now) - 1), "]": () => travel((at ?? now) + 1 >= now ? null : (at ?? now) + 1),
    l: () => travel(null), Escape: () => setPerson(null),
    "/": () => document.getElementById("find-person")?.focus(),
    ...Object.fromEntries(TABS.map((one, place) => [`${place + 1}`, () => { location.hash = tabAddress(id, one, location.hash); }])),
  });
  if (feed.problem) {
    return <div className="page"><Problem again={() => void feed.open()}>{feed.problem}</Problem><p><a href="#/">All runs</a></p></div>;
  }
  if (!feed.detail) return <div className="page"><p className="faint" role="status">Opening {id} …</p></div>;
  return (
    <HereContext.Provider value={here}>
      <div className="run">
        <h1 className="hidden">{feed.detail.title}</h1>
        <ControlBar control={control} />
        <div className="run-tabs">
          <nav aria-label="This run" className="tabs">
            {TABS.map((one) => (
              <a key={one} href={tabAddress(id, one, hash)} aria-current={one === tab ? "page" : undefined}>{TAB_NAMES[one]}</a>
            ))}
          </nav>
          <span className="run-name"><span className="strong">{id}</span> <span className="faint">{feed.detail.title}</span></span>
        </div>
        <div className={`run-body ${person !== null ? "with-drawer" : ""}`}>
          <div className="run-main">{body(tab)}</div>
          {person !== null ? <PersonDrawer key={person} id={person} close={() => setPerson(null)} /> : null}
        </div>
        {call ? <CallSheet id={call} close={() => setCall("")} /> : null}
        {note ? <NoteSheet about={note} close={() => setNote("")} /> : null}
      </div>
    </HereContext.Provider>
  );
}

function body(tab: Tab) {
  switch (tab) {
    case "watch": return <WatchTab />;
    case "measures": return <MeasuresTab />;
    case "people": return <PeopleTab />;
    case "calls": return <CallsTab />;
    case "ask": return <AskTab />;
    case "notes": return <NotesTab />;
    case "part": return <PartTab />;
    case "change": return <ChangeTab />;
    case "branch": return <BranchTab />;
    case "scenario": return <ScenarioTab />;
  }
}
