// The frame: the bar at the top, the screen the address names, the sheet of shortcuts.

import { useEffect, useState } from "react";
import { useAsked } from "./fold/store";
import { SHEET, useKeys } from "./parts/keys";
import { address, go, read, useHash } from "./parts/route";
import { useTheme } from "./parts/theme";
import { Problem, Sheet } from "./parts/ui";
import { CompareScreen } from "./screens/Compare";
import { ExperimentScreen } from "./screens/Experiment";
import { LabScreen } from "./screens/Lab";
import { ListScreen } from "./screens/List";
import { NewScreen } from "./screens/New";
import { RunScreen } from "./screens/Run";
import { get, keepToken, readingIsFree } from "./wire/api";
import type { Session } from "./wire/types";

/** Learn what there is here; the token is kept before any screen asks for something. */
async function begun(signal: AbortSignal): Promise<Session> {
  const found = await get<Session>("/session", signal);
  readingIsFree(Boolean(found.token));
  if (found.token) keepToken(found.token);
  return found;
}

export function App() {
  const route = read(useHash());
  const [theme, flip] = useTheme();
  const [sheet, setSheet] = useState(false);
  const session = useAsked(begun, "session");
  const known = session.value;
  useEffect(() => {
    if (!known || location.hash.length >= 3) return;
    if (known.opened) go({ screen: "run", id: known.opened, tab: "watch" });
    else if (known.scenario) go({ screen: "new", from: known.scenario });
  }, [known]);
  useKeys({
    "?": () => setSheet(true), t: flip,
    r: () => go({ screen: "list" }), n: () => go({ screen: "new" }),
  });
  const crumb = route.screen === "run" || route.screen === "experiment" ? route.id : route.screen === "new" ? "New run" : route.screen === "compare" ? "Compare" : route.screen === "lab" ? route.id || "Lab" : "";
  useEffect(() => { document.title = crumb ? `${crumb} · Audience` : "Audience"; }, [crumb]);
  return (
    <>
      <a className="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>Skip to content</a>
      <header className="top">
        <a className="brand" href="#/"><img src="/icon.svg" alt="" width="22" height="22" />Audience</a>
        <nav aria-label="Main">
          <a href={address({ screen: "list" })} aria-current={route.screen === "list" ? "page" : undefined}>Runs</a>
          <a href={address({ screen: "new" })} aria-current={route.screen === "new" ? "page" : undefined}>New run</a>
          <a href={address({ screen: "compare", a: "", b: "" })} aria-current={route.screen === "compare" ? "page" : undefined}>Compare</a>
          <a href={address({ screen: "lab", id: "" })} aria-current={route.screen === "lab" ? "page" : undefined}>Lab</a>
        </nav>
        <span className="grow" />
        {known ? <span className="faint small">{known.version}</span> : null}
        <button type="button" className="quiet" onClick={flip}>{theme === "dark" ? "Light" : "Dark"}</button>
        <button type="button" className="quiet" aria-label="Keyboard shortcuts" onClick={() => setSheet(true)}>?</button>
      </header>
      <main id="main" tabIndex={-1}>
        {session.problem && !known
          ? <div className="page"><Problem again={session.again}>{session.problem}</Problem><TokenField done={session.again} /></div>
          : known ? <Screen route={route} session={known} theme={theme} /> : null}
      </main>
      {sheet ? <Shortcuts close={() => setSheet(false)} /> : null}
    </>
  );
}

function Screen({ route, session, theme }: { route: ReturnType<typeof read>; session: Session; theme: "dark" | "light" }) {
  switch (route.screen) {
    case "list": return <ListScreen session={session} />;
    case "new": return <NewScreen key={route.from} session={session} from={route.from ?? ""} />;
    case "run": return <RunScreen key={route.id} id={route.id} tab={route.tab} session={session} theme={theme} />;
    case "lab": return <LabScreen key={route.id} session={session} id={route.id} />;
    case "experiment": return <ExperimentScreen key={route.id} id={route.id} />;
    case "compare": return <CompareScreen key={`${route.a} ${route.b}`} a={route.a} b={route.b} />;
  }
}

function TokenField({ done }: { done: () => void }) {
  const [typed, setTyped] = useState("");
  return (
    <form className="inline" onSubmit={(event) => { event.preventDefault(); keepToken(typed.trim()); done(); }}>
      <label htmlFor="token">Token, as printed by <code>audience serve</code></label>
      <input id="token" value={typed} onChange={(event) => setTyped(event.target.value)} autoComplete="off" />
      <button type="submit">Enter</button>
    </form>
  );
}

function Shortcuts({ close }: { close: () => void }) {
  return (
    <Sheet title="Keyboard" close={close}>
      <dl className="shortcuts">
        {SHEET.map(([key, what]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div>)}
      </dl>
      <p className="hint">Use Tab, the arrow keys and Enter for everything else.</p>
    </Sheet>
  );
}
