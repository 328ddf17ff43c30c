// Bars for histograms, and curves of popularity on a log scale.

import { useRef } from "react";
import { count, measure } from "../parts/format";
import { savePng } from "./save";
import { ticks } from "./Lines";

const WIDE = 320;
const HIGH = 170;
const LEFT = 44;
const LOW = 24;

export function BarChart({ title, unit, bars, nothing, dense = false }: { title: string; unit?: string; bars: { name: string; value: number }[]; nothing: string; dense?: boolean }) {
  const svg = useRef<SVGSVGElement>(null);
  const most = Math.max(1, ...bars.map((one) => one.value));
  const step = (WIDE - LEFT - 10) / Math.max(1, bars.length);
  const share = (value: number) => (dense ? Math.log1p(value) / Math.log1p(most) : value / most);
  const y = (value: number) => 10 + (HIGH - 10 - LOW) * (1 - share(value));
  const marks = dense ? [0, 1, 10, 100, 1000, 10_000, 100_000].filter((at) => at <= most) : ticks(0, most);
  const whole = bars.reduce((sum, one) => sum + one.value, 0);
  const label = dense ? `${title}: the first of ${bars.length} has ${count(bars[0]?.value)}, the middle one ${count(bars[Math.floor(bars.length / 2)]?.value)}.`
    : `${title}: ${bars.map((one) => `${one.name} ${measure(one.value)}`).join(", ")}`;
  if (!whole) {
    return (
      <figure className="chart"><figcaption><span>{title}</span>{unit ? <span className="faint small">{unit}</span> : null}</figcaption>
        <p className="faint small chart-empty">{nothing}</p></figure>
    );
  }
  return (
    <figure className="chart">
      <figcaption><span>{title}</span>{unit ? <span className="faint small">{unit}</span> : null}
        <button type="button" className="quiet small" aria-label={`Save ${title} as PNG`} onClick={() => { if (svg.current) void savePng(svg.current, title); }}>PNG</button></figcaption>
      <svg ref={svg} viewBox={`0 0 ${WIDE} ${HIGH}`} role="img" aria-label={label}>
        {marks.map((at) => <g key={at}><line className="grid" x1={LEFT} x2={WIDE - 10} y1={y(at)} y2={y(at)} /><text className="tick" x={LEFT - 6} y={y(at) + 3.5} textAnchor="end">{count(at)}</text></g>)}
        {dense
          ? <path className="area" d={`M${LEFT} ${y(0)}${bars.map((one, at) => `L${(LEFT + at * step).toFixed(1)} ${y(one.value).toFixed(1)}L${(LEFT + (at + 1) * step).toFixed(1)} ${y(one.value).toFixed(1)}`).join("")}L${WIDE - 10} ${y(0)}Z`} />
          : bars.map((one, at) => <rect key={one.name} className="bar-rect" x={LEFT + at * step + step * 0.14} width={step * 0.72} y={y(one.value)} height={Math.max(0, y(0) - y(one.value))} rx={2}><title>{`${one.name}: ${count(one.value)}${whole ? ` (${Math.round((100 * one.value) / whole)} %)` : ""}`}</title></rect>)}
        {dense ? <><text className="tick" x={LEFT} y={HIGH - 8}>1</text><text className="tick" x={WIDE - 10} y={HIGH - 8} textAnchor="end">{count(bars.length)}</text></>
          : bars.map((one, at) => <text key={one.name} className="tick" x={LEFT + (at + 0.5) * step} y={HIGH - 8} textAnchor="middle">{one.name}</text>)}
      </svg>
    </figure>
  );
}
