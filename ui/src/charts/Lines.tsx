// A line chart by round: named axes, intervals as shades, the value under the pointer; a point may open its round.

import { memo, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import { measure } from "../parts/format";
import { CURSOR, Plot, WHOLE, axes, breakMark, ink } from "./Plot";
import { savePng } from "./save";
import { columns, range, short, told, type Columns, type Series } from "./columns";

export type { Series } from "./columns";

interface Given {
  title: string;
  unit?: string | undefined;
  series: Series[];
  /** What the title means, to be opened beside it. */
  about?: React.ReactNode;
  /** Opens a round. */
  pick?: ((round: number) => void) | undefined;
}

export const LineChart = memo(function LineChart({ title, unit = "", series, about, pick }: Given) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [over, setOver] = useState<number | null>(null);
  const found = useMemo(() => columns(series), [series]);
  const drawn = useMemo(() => aligned(found), [found]);
  const ends = useMemo(() => range(found), [found]);
  const place = over ?? found.places.length - 1;
  const round = found.places[place];
  const values = series.map((one, at) => ({ name: one.name, colour: one.colour, value: measure(found.values[at]?.[place]), band: found.bands[at] ? interval(found, at, place) : "" }));
  const several = series.length > 1;
  const unitTold = `${unit || "value"}${ends.isCropped ? ` · cropped axis, from ${measure(ends.low)}` : ""}`;
  const shape = `${series.map((one) => `${one.name} ${one.colour} ${one.band?.length ? "band" : ""}`).join("|")} ${ends.low} ${ends.high}`;
  const save = () => { if (canvas.current) void savePng(canvas.current, title, unitTold, several ? series.map((one) => [one.name, ink(one.colour)]) : []); };
  return (
    <figure className="chart">
      <figcaption><span className="chart-title">{title}{about}</span>
        <button type="button" className="quiet small" aria-label={`Save ${title} as PNG`} onClick={save}>PNG</button></figcaption>
      <div className="chart-values">{values.map((one) => (
        <span key={one.name}>{several ? <i style={{ background: one.colour }} aria-hidden="true" /> : null}{several && one.name ? `${one.name} ` : ""}<b>{one.value}</b>{one.band ? <span className="faint small"> {one.band}</span> : null}</span>))}
        <span className="faint small">{round === undefined ? "no values yet" : `round ${round}`}</span></div>
      <p className="axis-name" aria-hidden="true">↑ {unitTold}</p>
      <Plot canvas={canvas} shape={shape} columns={drawn} look={() => look(series, found, ends)} over={setOver}
        label={told(title, unit, series) + (pick ? ". Enter opens the round." : "")}
        text={`round ${round ?? "none"}: ${values.map((one) => `${one.name} ${one.value} ${one.band}`.trim()).join(", ")}`}
        pick={pick ? (at) => { const to = found.places[at]; if (to !== undefined) pick(to); } : undefined} />
    </figure>
  );
});

function interval(found: Columns, at: number, place: number): string {
  const [low, high] = [found.bands[at]?.[0][place], found.bands[at]?.[1][place]];
  return low == null || high == null ? "" : `${measure(low)} to ${measure(high)}`;
}

/** The places, all values, then the ends of the bands. */
function aligned(found: Columns): uPlot.AlignedData {
  return [found.places, ...found.values, ...found.bands.flatMap((one) => one ?? [])];
}

function look(series: Series[], found: Columns, ends: { low: number; high: number; isCropped: boolean }): Omit<uPlot.Options, "width" | "height"> {
  const bands: uPlot.Band[] = [];
  let next = 1 + series.length;
  found.bands.forEach((one, at) => {
    if (one) { bands.push({ series: [next + 1, next], fill: () => ink(series[at]?.colour ?? "", "2e") }); next += 2; }
  });
  const edges = Array.from({ length: next - 1 - series.length }, (): uPlot.Series => ({ points: { show: false } }));
  return {
    legend: { show: false }, padding: [6, 10, 0, 0],
    cursor: { ...CURSOR, points: { size: 8 } },
    scales: { x: { time: false, range: (_, low, high) => { const room = (high - low) * 0.03 || 1; return [low - room, high + room]; } }, y: { range: [ends.low, ends.high] } },
    series: [{}, ...series.map((one): uPlot.Series => ({
      stroke: () => ink(one.colour), width: 2, points: { show: found.places.length < 26, size: 5, fill: () => ink(one.colour) }, spanGaps: false,
    })), ...edges],
    bands,
    axes: axes("round", { incrs: WHOLE }, { values: (_, splits) => splits.map(short) }),
    hooks: ends.isCropped ? { drawAxes: [breakMark] } : {},
  };
}
