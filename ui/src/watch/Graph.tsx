// The social graph: people as dots coloured by what they do, ties as lines, everything on one canvas.

import { useEffect, useMemo, useRef, useState } from "react";
import { useAsked, useFeed } from "../fold/store";
import { useHere } from "../parts/context";
import { count } from "../parts/format";
import { colour } from "../parts/colour";
import { Empty, Problem } from "../parts/ui";
import { get, query, runPath } from "../wire/api";
import type { Community, GraphAnswer, GraphNode } from "../wire/types";
import { LEGENDS, classes, shared, summed, tally, type By } from "./colouring";
import { CommunitySheet } from "./CommunitySheet";
import { FindPerson } from "./FindPerson";
import { Painter, type Look } from "./painter";
import { useLayout } from "./useLayout";

interface Scene {
  nodes: GraphNode[]; edges: [number, number, number][]; radius: Float32Array; names: string[];
  /** Where dots are communities: those, and everybody's. */
  groups: Community[] | null; of: Uint8Array;
}

const look = (): Look => ({
  back: colour("--surface"), edge: colour("--graph-edge"), text: colour("--text"), ring: colour("--text-faint"), accent: colour("--accent"),
});

export function Graph({ tabs }: { tabs: React.ReactNode }) {
  const { feed, at } = useHere();
  useFeed(feed, 1);
  const [ties, setTies] = useState(feed.live.ties);
  const state = feed.control?.state;
  useEffect(() => {
    const timer = window.setTimeout(() => setTies(feed.live.ties), state === "running" ? 5000 : 300);
    return () => window.clearTimeout(timer);
  }, [feed, feed.live.ties, state]);
  const asked = useAsked(
    (signal) => get<GraphAnswer>(`${runPath(feed.id)}/graph${query({ at })}`, signal), `${feed.id} ${at ?? "now"} ${ties} ${feed.hasMoods || feed.live.hasMoods ? feed.live.round : 0}`,
  );
  useEffect(() => {
    const { nodes, communities } = asked.value ?? {};
    feed.hasMoods ||= Boolean(nodes?.some((node) => node.mood != null) || communities?.some((one) => one.shares?.emotion));
    feed.hasAttitudes ||= Boolean(nodes?.some((node) => node.attitude != null) || communities?.some((one) => one.shares?.attitude));
  }, [asked.value, feed]);
  const last = useRef<Scene | null>(null);
  const scene = useMemo(() => (asked.value ? sceneOf(asked.value) : null), [asked.value]);
  if (scene) last.current = scene;
  const shown = scene ?? last.current;
  const [community, setCommunity] = useState<number | null>(null);
  return (
    <section className="panel graph-panel" aria-labelledby="graph-title">
      <header className="panel-head">{tabs}<div className="tools"><FindPerson /></div></header>
      <div className="graph-told"><h2 id="graph-title">{shown?.groups ? "People, by community" : "People"}</h2>
        {shown?.nodes.length ? <p className="hint">{shown.groups
          ? "A dot is a community: people with many ties among each other. Dots are near each other if many ties join them; the place on the screen means nothing else."
          : "Two people are near each other if they are tied, or tied to the same people; the place on the screen means nothing else. Larger dots have more ties."}</p> : null}</div>
      <Problem again={asked.again}>{asked.problem}</Problem>
      {shown && !shown.nodes.length ? <Empty title="Nobody here">This run has no people.</Empty> : null}
      {shown?.nodes.length ? <Canvas scene={shown} openCommunity={setCommunity} /> : <div className="graph-wait faint">{asked.problem ? "" : "Laying out the graph …"}</div>}
      {community !== null ? <CommunitySheet id={community} close={() => setCommunity(null)} /> : null}
    </section>
  );
}

function sceneOf(answer: GraphAnswer): Scene {
  const groups = answer.nodes?.length ? undefined : answer.communities;
  const nodes: GraphNode[] = !groups ? answer.nodes ?? []
    : groups.map((one) => ({ id: one.id, name: `${one.label || `community ${one.id}`} · ${count(one.size)}`, community: one.id, degree: one.size }));
  const place = new Map(nodes.map((node, at) => [node.id, at]));
  const edges: [number, number, number][] = [];
  const seen = new Set<number>();
  for (const [a, b] of answer.edges) {
    const [x, y] = [place.get(Number(a)), place.get(Number(b))];
    if (x === undefined || y === undefined || x === y) continue;
    const key = Math.min(x, y) * nodes.length + Math.max(x, y);
    if (!seen.has(key)) { seen.add(key); edges.push([x, y, 1]); }
  }
  const most = Math.max(1, ...nodes.map((node) => node.degree));
  const thin = Math.max(0.6, Math.min(1.3, Math.pow(400 / Math.max(1, nodes.length), 0.35)));
  const radius = Float32Array.from(nodes, (node) => (groups ? (4 + 20 * Math.sqrt(node.degree / most)) * Math.min(1, Math.sqrt(50 / groups.length)) : (2.6 + 3.4 * Math.sqrt(node.degree / most)) * thin));
  return { nodes, edges, radius, names: nodes.map((node) => node.name), groups: groups ?? null, of: Uint8Array.from(atob(answer.of ?? ""), (byte) => byte.charCodeAt(0)) };
}

function Canvas({ scene, openCommunity }: { scene: Scene; openCommunity: (id: number) => void }) {
  const { feed, openPerson, theme } = useHere();
  const [chosen, setBy] = useState<By | null>(null);
  const by = chosen ?? (feed.hasMoods || feed.live.hasMoods ? "emotion" : "activity");
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useRef<Painter | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const places = useLayout(feed.id, scene.nodes, scene.edges);
  useEffect(() => {
    if (!canvas.current || !box.current) return;
    const mine = new Painter(canvas.current);
    painter.current = mine;
    const watch = new ResizeObserver(([entry]) => { if (entry) mine.resize(entry.contentRect.width, entry.contentRect.height); });
    watch.observe(box.current);
    return () => { watch.disconnect(); mine.stop(); painter.current = null; };
  }, []);
  useEffect(() => { painter.current?.dress(look()); }, [theme]);
  useEffect(() => { if (places) painter.current?.show({ places, ...scene }); }, [places, scene]);
  const kinds = useColours(painter, scene, by);
  useGestures(canvas, painter, (dot) => { const node = scene.nodes[dot]; if (node) (scene.groups ? openCommunity : openPerson)(node.id); });
  return (
    <>
      <div className="graph-box" ref={box}>
        <canvas ref={canvas} tabIndex={0} role="application"
          aria-label={`Social graph of ${scene.nodes.length} ${scene.groups ? "communities" : "people"}. Left and right arrows go from one to the next, Enter opens, plus and minus zoom, 0 shows all.`} />
        <div className="zoom" role="group" aria-label="Zoom">
          <button type="button" aria-label="Zoom in" onClick={() => painter.current?.zoom(1.4)}>+</button>
          <button type="button" aria-label="Zoom out" onClick={() => painter.current?.zoom(1 / 1.4)}>−</button>
          <button type="button" aria-label="Show all" onClick={() => painter.current?.fit()}>⤢</button>
        </div>
      </div>
      <LegendBar by={by} set={setBy} counts={kinds} />
    </>
  );
}

function LegendBar({ by, set, counts }: { by: By; set: (by: By) => void; counts: number[] }) {
  const { feed } = useHere();
  const ways: [By, string][] = [["activity", "activity"], ["satisfaction", "satisfaction"], ["community", "community"]];
  if (feed.live.hasMoods || feed.hasMoods) ways.push(["emotion", "emotion"]);
  if (feed.live.hasAttitudes || feed.hasAttitudes) ways.push(["attitude", "attitude"]);
  const legend = LEGENDS[by];
  return (
    <div className="legend">
      <label>Colour by <select value={by} onChange={(event) => set(event.target.value as By)}>
        {ways.map(([is, name]) => <option key={is} value={is}>{name}</option>)}</select></label>
      {by === "community" ? <span className="faint small">{counts.filter(Boolean).length} colours, reused where there are more communities</span> : (
        <ul>{legend.map((one, at) => (
          <li key={one.name}><i style={{ background: `var(${one.colour})` }} aria-hidden="true" />{one.name} <b>{count(counts[at] ?? 0)}</b></li>
        ))}</ul>
      )}
    </div>
  );
}

function useColours(painter: React.RefObject<Painter | null>, scene: Scene, by: By): number[] {
  const { feed, at, live, liveVersion, theme } = useHere();
  const version = useFeed(feed, 5);
  const kinds = useMemo(() => classes(by, scene.nodes, live), [version, liveVersion, scene, by, live]);
  const shares = useMemo(() => (scene.groups ? shared(by, scene.groups, scene.of, live) : null), [version, liveVersion, scene, by, live]);
  const colours = useMemo(() => LEGENDS[by].map((one) => colour(one.colour)), [by, theme]);
  useEffect(() => { painter.current?.colour(kinds, colours, shares); }, [kinds, colours, shares, painter]);
  useEffect(() => {
    const touched = feed.live.touched;
    if (touched.size && touched.size < 400 && at === null && !scene.groups) painter.current?.pulse(touched);
    touched.clear();
  }, [version, feed, at, scene, painter]);
  return useMemo(() => (shares ? summed(shares, LEGENDS[by].length) : tally(kinds, LEGENDS[by].length)), [kinds, shares, by]);
}

function useGestures(canvas: React.RefObject<HTMLCanvasElement | null>, painter: React.RefObject<Painter | null>, open: (dot: number) => void): void {
  const opened = useRef(open);
  opened.current = open;
  useEffect(() => {
    const here = canvas.current;
    if (!here) return;
    let from: { x: number; y: number; moved: boolean } | null = null;
    const at = (event: PointerEvent | WheelEvent) => { const frame = here.getBoundingClientRect(); return [event.clientX - frame.left, event.clientY - frame.top] as const; };
    const down = (event: PointerEvent) => { from = { x: event.clientX, y: event.clientY, moved: false }; here.setPointerCapture(event.pointerId); };
    const move = (event: PointerEvent) => {
      if (!from) { const dot = painter.current?.under(...at(event)) ?? -1; painter.current?.mark(dot); here.style.cursor = dot >= 0 ? "pointer" : "grab"; return; }
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      if (!from.moved && Math.hypot(dx, dy) < 4) return;
      painter.current?.pan(dx, dy);
      from = { x: event.clientX, y: event.clientY, moved: true };
    };
    const up = (event: PointerEvent) => {
      const dot = from && !from.moved ? painter.current?.under(...at(event)) ?? -1 : -1;
      from = null;
      if (dot >= 0) { painter.current?.choose(dot); opened.current(dot); }
    };
    const wheel = (event: WheelEvent) => { event.preventDefault(); painter.current?.zoom(Math.exp(-event.deltaY * 0.0015), ...at(event)); };
    const key = (event: KeyboardEvent) => {
      const mine = painter.current;
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (!mine || !(step || ["Enter", "+", "-", "0"].includes(event.key))) return;
      event.preventDefault();
      if (step) mine.mark(Math.max(0, mine.marked + step));
      else if (event.key === "Enter") { if (mine.marked >= 0) { mine.choose(mine.marked); opened.current(mine.marked); } }
      else if (event.key === "0") mine.fit();
      else mine.zoom(event.key === "+" ? 1.4 : 1 / 1.4);
    };
    const leave = () => painter.current?.mark(-1);
    here.addEventListener("pointerdown", down); here.addEventListener("pointermove", move); here.addEventListener("pointerup", up);
    here.addEventListener("pointerleave", leave); here.addEventListener("wheel", wheel, { passive: false }); here.addEventListener("keydown", key);
    return () => {
      here.removeEventListener("pointerdown", down); here.removeEventListener("pointermove", move); here.removeEventListener("pointerup", up);
      here.removeEventListener("pointerleave", leave); here.removeEventListener("wheel", wheel); here.removeEventListener("keydown", key);
    };
  }, [canvas, painter]);
}
