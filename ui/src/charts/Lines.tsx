// A small line chart: few points, quiet axes, the value under the pointer.

import { useId, useRef, useState } from "react";
import { measure } from "../parts/format";
import { savePng } from "./save";

export interface Series {
  name: string;
  colour: string;
  points: [number, number | null][];
  /** The ends of an interval at each place, drawn as a shade. */
  band?: [number, number, number][];
}

const WIDE = 320;
const HIGH = 150;
const LEFT = 44;
const RIGHT = 10;
const TOP = 10;
const LOW = 22;

/** Round steps for an axis, about `wanted` of them. */
export function ticks(low: number, high: number, wanted = 3): number[] {
  const span = high - low || Math.abs(high) || 1;
  const raw = span / wanted;
  const power = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw) ?? raw;
  const found: number[] = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-6; at += step) found.push(Number(at.toPrecision(12)));
  return found;
}

export function bounds(series: Series[]): [number, number] {
  const values = series.flatMap((one) => [...one.points.flatMap(([, y]) => (y == null ? [] : [y])), ...(one.band ?? []).flatMap(([, low, high]) => [low, high])]);
  if (!values.length) return [0, 1];
  let low = Math.min(...values), high = Math.max(...values);
  if (low >= 0 && low < high * 0.5) low = 0;
  if (low === high) { low -= Math.abs(low) * 0.1 || 0.5; high += Math.abs(high) * 0.1 || 0.5; }
  return [low, high];
}

export function path(points: [number, number | null][], x: (at: number) => number, y: (at: number) => number): string {
  let pen = "M";
  return points.map(([px, py]) => {
    if (py == null) { pen = "M"; return ""; }
    const part = `${pen}${x(px).toFixed(1)} ${y(py).toFixed(1)}`;
    pen = "L";
    return part;
  }).join("");
}

export function LineChart({ title, unit, series }: { title: string; unit?: string | undefined; series: Series[] }) {
  const svg = useRef<SVGSVGElement>(null);
  const id = useId();
  const [over, setOver] = useState<number | null>(null);
  const xs = [...new Set(series.flatMap((one) => one.points.map(([x]) => x)))].sort((a, b) => a - b);
  const [first, last] = [xs[0] ?? 0, xs[xs.length - 1] ?? 1];
  const [low, high] = bounds(series);
  const x = (at: number) => LEFT + (WIDE - LEFT - RIGHT) * (last === first ? 0.5 : (at - first) / (last - first));
  const y = (at: number) => TOP + (HIGH - TOP - LOW) * (1 - (at - low) / (high - low));
  const point = (event: React.PointerEvent) => {
    const frame = svg.current?.getBoundingClientRect();
    if (!frame || !xs.length) return;
    const at = ((event.clientX - frame.left) / frame.width) * WIDE;
    setOver(xs.reduce((best, one) => (Math.abs(x(one) - at) < Math.abs(x(best) - at) ? one : best), first));
  };
  const shown = over ?? last;
  const told = series.map((one) => {
    const value = one.points.find(([at]) => at === shown)?.[1];
    return { ...one, value: measure(value) };
  });
  const label = `${title}${unit ? `, ${unit}` : ""}. ${series.map((one) => {
    const known = one.points.filter(([, value]) => value != null);
    const [a, b] = [known[0], known[known.length - 1]];
    return a && b ? `${one.name ? `${one.name}: ` : ""}${measure(a[1])} at round ${a[0]}, ${measure(b[1])} at round ${b[0]}` : "no values";
  }).join("; ")}`;
  return (
    <figure className="chart">
      <figcaption><span title={title}>{title}</span>{unit ? <span className="faint small nowrap">{unit}</span> : null}
        <button type="button" className="quiet small" aria-label={`Save ${title} as PNG`} onClick={() => { if (svg.current) void savePng(svg.current, title); }}>PNG</button></figcaption>
      <div className="chart-values">{told.map((one) => (
        <span key={one.name}>{series.length > 1 ? <i style={{ background: one.colour }} aria-hidden="true" /> : null}{one.name && series.length > 1 ? `${one.name} ` : ""}<b>{one.value}</b></span>))}
        <span className="faint small">round {shown}</span></div>
      <svg ref={svg} viewBox={`0 0 ${WIDE} ${HIGH}`} role="img" aria-label={label} id={id} onPointerMove={point} onPointerLeave={() => setOver(null)}>
        {ticks(low, high, 4).map((at) => (
          <g key={at}><line className="grid" x1={LEFT} x2={WIDE - RIGHT} y1={y(at)} y2={y(at)} /><text className="tick" x={LEFT - 6} y={y(at) + 3.5} textAnchor="end">{short(at)}</text></g>))}
        {roundTicks(first, last).map((at) => <text key={at} className="tick" x={x(at)} y={HIGH - 6} textAnchor="middle">{at}</text>)}
        {over !== null ? <line className="cursor" x1={x(over)} x2={x(over)} y1={TOP} y2={HIGH - LOW} /> : null}
        {series.map((one) => (one.band?.length ? <polygon key={one.name} className="shade" style={{ fill: one.colour }}
          points={[...one.band.map(([at, , top]) => `${x(at).toFixed(1)},${y(top).toFixed(1)}`), ...one.band.toReversed().map(([at, floor]) => `${x(at).toFixed(1)},${y(floor).toFixed(1)}`)].join(" ")} /> : null))}
        {series.map((one) => <path key={one.name} d={path(one.points, x, y)} fill="none" strokeWidth={1.8} strokeLinejoin="round" style={{ stroke: one.colour }} />)}
        {series.map((one) => { const at = one.points.find(([px]) => px === shown); return at && at[1] != null ? <circle key={one.name} cx={x(at[0])} cy={y(at[1])} r={3} style={{ fill: one.colour }} /> : null; })}
      </svg>
    </figure>
  );
}

function roundTicks(first: number, last: number): number[] {
  const found = ticks(first, last, 5).filter(Number.isInteger);
  return found.length ? found : [first];
}

function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6) return `${value / 1e6}M`;
  if (size >= 10_000) return `${value / 1e3}k`;
  return `${Number(value.toPrecision(6))}`;
}
