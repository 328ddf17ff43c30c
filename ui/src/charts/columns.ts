// What a chart draws, made ready: columns of numbers, the range of an axis, and the words that tell it.

import { count, measure } from "../parts/format";

export interface Series {
  name: string;
  colour: string;
  points: [number, number | null][];
  /** The ends of an interval at each place, drawn as a shade. */
  band?: [number, number, number][];
}

export interface Columns {
  places: number[];
  /** One for each series. */
  values: (number | null)[][];
  /** The lower and the upper ends of each series that has a band. */
  bands: ([(number | null)[], (number | null)[]] | null)[];
}

/** Put series on common places; where one has no value there is none. */
export function columns(series: Series[]): Columns {
  const places = [...new Set(series.flatMap((one) => one.points.map(([x]) => x)))].sort((a, b) => a - b);
  return {
    places,
    values: series.map((one) => { const at = new Map(one.points); return places.map((x) => at.get(x) ?? null); }),
    bands: series.map((one) => {
      if (!one.band?.length) return null;
      const at = new Map(one.band.map(([x, low, high]) => [x, [low, high] as const]));
      return [places.map((x) => at.get(x)?.[0] ?? null), places.map((x) => at.get(x)?.[1] ?? null)];
    }),
  };
}

export interface Range { low: number; high: number; isCropped: boolean }

/** The ends of the value axis. It begins at zero unless that would flatten the curves; then it is cropped, which is to be told. */
export function range(columns_: Columns): Range {
  const known = [...columns_.values, ...columns_.bands.flatMap((one) => one ?? [])].flat().filter((value): value is number => value != null);
  if (!known.length) return { low: 0, high: 1, isCropped: false };
  let low = Math.min(...known), high = Math.max(...known);
  if (low >= 0 && low <= high * 0.5) low = 0;
  if (high <= 0 && high >= low * 0.5) high = 0;
  if (low === high) { if (low === 0) high = 1; else { const by = Math.abs(low) * 0.1; low -= by; high += by; } }
  const room = (high - low) * 0.06;
  return { low: low === 0 ? 0 : low - room, high: high === 0 ? 0 : high + room, isCropped: low > 0 || high < 0 };
}

/** The chart in words: the first and the last known value of each series. */
export function told(title: string, unit: string, series: Series[]): string {
  const each = series.map((one) => {
    const known = one.points.filter(([, value]) => value != null);
    const [a, b] = [known[0], known[known.length - 1]];
    const name = one.name ? `${one.name}: ` : "";
    return a && b ? `${name}${measure(a[1])} at round ${a[0]}, ${measure(b[1])} at round ${b[0]}` : `${name}no values`;
  });
  return `${title}${unit ? `, ${unit}` : ""}. ${each.join("; ")}`;
}

/** A number at an axis. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(6))}M`;
  if (size >= 10_000) return `${Number((value / 1e3).toPrecision(6))}k`;
  return `${Number(value.toPrecision(6))}`;
}

export interface Bar { name: string; value: number }

/** Bars in words: all of them, or of a long curve its beginning and its middle. */
export function toldBars(title: string, unit: string, bars: Bar[], isCurve: boolean): string {
  const head = `${title}${unit ? `, ${unit}` : ""}. `;
  if (!isCurve) return head + bars.map((one) => `${one.name} ${measure(one.value)}`).join(", ");
  return `${head}The first has ${count(bars[0]?.value)}, the middle one of ${count(bars.length)} has ${count(bars[Math.floor(bars.length / 2)]?.value)}.`;
}
