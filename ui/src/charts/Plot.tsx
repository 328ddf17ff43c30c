// A box with a uPlot chart: drawn while it is in view, redrawn with its size and the theme, read by pointer or arrow keys.

import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { colour } from "../parts/colour";

export interface PlotProps {
  /** What is drawn and how, without its size; made again when `shape` changes. */
  look: () => Omit<uPlot.Options, "width" | "height">;
  shape: string;
  columns: uPlot.AlignedData;
  /** The chart in words. */
  label: string;
  /** What stands at the place that is pointed at, in words. */
  text: string;
  over: (place: number | null) => void;
  pick?: ((place: number) => void) | undefined;
  canvas: React.RefObject<HTMLCanvasElement | null>;
}

/** A colour as a canvas needs it: `var(--name)` is looked up in the theme. */
export function ink(given: string, alpha = ""): string {
  const name = /^var\((--[\w-]+)\)$/.exec(given)?.[1];
  return (name ? colour(name) : given) + alpha;
}

/** Steps of an axis that counts. */
export const WHOLE = [1, 2, 5].flatMap((one) => [0, 1, 2, 3, 4, 5, 6, 7].map((power) => one * 10 ** power)).sort((a, b) => a - b);
const FONT = "11px system-ui, -apple-system, \"Segoe UI\", Roboto, \"Noto Sans\", sans-serif";

/** A line under the pointer; dragging does nothing, so that a click always is one. */
export const CURSOR: uPlot.Cursor = { y: false, drag: { x: false, y: false, setScale: false, click: () => undefined } };

/** The axes of every chart: quiet lines, figures in the faint colour of text, a name at the axis of places. */
export function axes(name: string, x: Partial<uPlot.Axis>, y: Partial<uPlot.Axis>): uPlot.Axis[] {
  const common: uPlot.Axis = {
    font: FONT, stroke: () => colour("--text-faint"), ticks: { show: false },
    grid: { stroke: () => colour("--line"), width: 1 }, gap: 5,
  };
  const wide = (_: uPlot, values: string[] | null) => 12 + 6.4 * Math.max(2, ...(values ?? []).map((one) => one.length));
  return [
    { ...common, grid: { show: false }, size: 20, label: name, labelSize: 15, labelGap: 0, labelFont: FONT, space: 34, ...x },
    { ...common, size: wide, space: 24, ...y },
  ];
}

/** Mark a value axis that does not begin at zero: a break at its foot. */
export function breakMark(plot: uPlot): void {
  const { ctx, bbox } = plot;
  const unit = uPlot.pxRatio;
  const [x, y] = [bbox.left, bbox.top + bbox.height];
  ctx.save();
  ctx.strokeStyle = colour("--line-strong");
  ctx.lineWidth = 1.5 * unit;
  ctx.beginPath();
  for (const at of [0, 1, 2, 3, 4]) ctx[at ? "lineTo" : "moveTo"](x + (at % 2 ? 3 : -3) * unit, y - (at * 3 - 1) * unit);
  ctx.stroke();
  ctx.restore();
}

/** Charts are drawn a little before they come into view, also inside of a box that scrolls. */
const NEAR = { rootMargin: "240px", scrollMargin: "240px" } as IntersectionObserverInit;

function useInView(box: React.RefObject<HTMLElement | null>): boolean {
  const [isIn, setIn] = useState(false);
  useEffect(() => {
    if (!box.current) return;
    const watch = new IntersectionObserver(([entry]) => setIn(Boolean(entry?.isIntersecting)), NEAR);
    watch.observe(box.current);
    const paper = matchMedia("print");
    const print = () => { if (paper.matches) flushSync(() => setIn(true)); };
    paper.addEventListener("change", print);
    return () => { watch.disconnect(); paper.removeEventListener("change", print); };
  }, [box]);
  return isIn;
}

export function Plot({ look, shape, columns, label, text, over, pick, canvas }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef({ look, columns, over });
  latest.current = { look, columns, over };
  const isIn = useInView(box);
  const [at, setAt] = useState<number | null>(null);
  useEffect(() => {
    const host = box.current;
    if (!isIn || !host) return;
    const size = () => ({ width: Math.max(120, host.clientWidth), height: Math.max(80, host.clientHeight) });
    const given = latest.current.look();
    const point = (mine: uPlot) => { const place = mine.cursor.idx ?? null; setAt(place); latest.current.over(place); };
    const mine = new uPlot({ ...given, ...size(), hooks: { ...given.hooks, setCursor: [point] } }, latest.current.columns, host);
    plot.current = mine;
    canvas.current = mine.ctx.canvas;
    const resized = new ResizeObserver(() => { const to = size(); if (to.width !== mine.width || to.height !== mine.height) mine.setSize(to); });
    resized.observe(host);
    const themed = new MutationObserver(() => mine.redraw());
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return () => { resized.disconnect(); themed.disconnect(); mine.destroy(); plot.current = canvas.current = null; };
  }, [isIn, shape, canvas]);
  useEffect(() => { if (plot.current && plot.current.data !== columns) plot.current.setData(columns); }, [columns]);
  const places = columns[0];
  const last = places.length - 1;
  const move = (to: number) => {
    const mine = plot.current;
    const x = places[Math.max(0, Math.min(last, to))];
    if (mine && x !== undefined) mine.setCursor({ left: mine.valToPos(x, "x"), top: mine.over.clientHeight / 2 });
  };
  const key = (event: React.KeyboardEvent) => {
    const to = { ArrowLeft: (at ?? last + 1) - 1, ArrowRight: (at ?? -1) + 1, Home: 0, End: last }[event.key];
    if (to !== undefined) { event.preventDefault(); move(to); }
    else if (event.key === "Enter" && pick) { event.preventDefault(); pick(at ?? last); }
    else if (event.key === "Escape" && at !== null) { event.stopPropagation(); plot.current?.setCursor({ left: -10, top: -10 }); }
  };
  const click = (event: React.MouseEvent) => {
    const mine = plot.current;
    if (mine && pick && last >= 0) pick(mine.posToIdx(event.clientX - mine.over.getBoundingClientRect().left));
  };
  return (
    <div ref={box} className={`plot ${pick ? "picks" : ""}`} role="slider" tabIndex={0} aria-label={label} aria-orientation="horizontal"
      aria-valuemin={0} aria-valuemax={Math.max(0, last)} aria-valuenow={at ?? Math.max(0, last)} aria-valuetext={text}
      onKeyDown={key} onBlur={() => plot.current?.setCursor({ left: -10, top: -10 })}
      onClick={click} />
  );
}
