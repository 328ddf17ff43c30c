// Bars of a histogram, or a long falling curve on a logarithmic axis.

import { useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import { count, percent } from "../parts/format";
import { CURSOR, Plot, WHOLE, axes, ink } from "./Plot";
import { savePng } from "./save";
import { short, toldBars, type Bar } from "./columns";

interface Given {
  title: string;
  /** What the bars stand on, and what they count. */
  place: string;
  unit: string;
  bars: Bar[];
  nothing: string;
  /** Draw a curve by rank on a logarithmic axis. */
  isCurve?: boolean;
  about?: React.ReactNode;
}

export function BarChart({ title, place, unit, bars, nothing, isCurve = false, about }: Given) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [over, setOver] = useState<number | null>(null);
  const sign = bars.map((one) => one.value).join(" ");
  const columns = useMemo((): uPlot.AlignedData => [bars.map((one, at) => (isCurve ? Number(one.name) : at)), bars.map((one) => one.value)], [sign, isCurve]);
  const most = Math.max(...bars.map((one) => one.value));
  const whole = bars.reduce((sum, one) => sum + one.value, 0);
  const pointed = over === null ? null : bars[over];
  const name = (one: Bar) => (isCurve ? `${place} ${one.name}` : one.name);
  const text = pointed ? `${name(pointed)}: ${count(pointed.value)}${isCurve ? "" : ` (${percent(pointed.value / whole)})`}` : "";
  const unitTold = isCurve ? `${unit} · logarithmic axis` : unit;
  const save = () => { if (canvas.current) void savePng(canvas.current, title, unitTold, []); };
  return (
    <figure className="chart">
      <figcaption><span className="chart-title">{title}{about}</span>
        {whole ? <button type="button" className="quiet small" aria-label={`Save ${title} as PNG`} onClick={save}>PNG</button> : null}</figcaption>
      {whole ? (
        <>
          <div className="chart-values"><span>{text || <span className="faint small">{count(whole)} in all</span>}</span></div>
          <p className="axis-name" aria-hidden="true">↑ {unitTold}</p>
          <Plot canvas={canvas} shape={`${bars.length} ${isCurve} ${most}`} columns={columns} over={setOver} text={text}
            label={toldBars(title, unit, bars, isCurve)} look={() => (isCurve ? curve(place, most) : histogram(place, bars, most))} />
        </>
      ) : <p className="faint small chart-empty">{nothing}</p>}
    </figure>
  );
}

const DECADES = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000];

function histogram(place: string, bars: Bar[], most: number): Omit<uPlot.Options, "width" | "height"> {
  const draw = uPlot.paths.bars?.({ size: [0.78, 60], radius: 0.08 });
  return {
    legend: { show: false }, padding: [6, 6, 0, 0], cursor: { ...CURSOR, points: { show: false } },
    scales: { x: { time: false, range: [-0.6, bars.length - 0.4] }, y: { range: [0, most * 1.06] } },
    series: [{}, { fill: () => ink("var(--accent)"), width: 0, points: { show: false }, ...(draw ? { paths: draw } : {}) }],
    axes: axes(place, { splits: () => bars.map((_, at) => at), values: (_, splits) => splits.map((at) => bars[at]?.name ?? ""), space: 10 },
      { incrs: WHOLE, values: (_, splits) => splits.map(short) }),
  };
}

function curve(place: string, most: number): Omit<uPlot.Options, "width" | "height"> {
  const step = uPlot.paths.stepped?.({ align: 1 });
  return {
    legend: { show: false }, padding: [6, 6, 0, 0], cursor: { ...CURSOR, points: { size: 7 } },
    scales: { x: { time: false }, y: { distr: 3, range: [0.9, Math.max(10, most * 1.3)] } },
    series: [{}, { stroke: () => ink("var(--accent)"), fill: () => ink("var(--accent)", "33"), width: 1.5, points: { show: false }, ...(step ? { paths: step } : {}) }],
    axes: axes(place, { incrs: WHOLE, space: 44 }, { splits: () => DECADES.filter((at) => at <= most * 1.3), values: (_, splits) => splits.map(short) }),
  };
}
