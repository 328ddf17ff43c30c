// Numbers as people read them.

export function count(value: number | null | undefined): string {
  if (value == null) return "–";
  if (value >= 10_000_000) return `${(value / 1e6).toFixed(0)} M`;
  if (value >= 1_000_000) return `${(value / 1e6).toFixed(1)} M`;
  return Math.round(value).toLocaleString("en");
}

export function money(value: number | null | undefined): string {
  if (value == null) return "–";
  if (value === 0) return "$0";
  return value < 0.01 ? `$${value.toFixed(4)}` : `$${value.toFixed(2)}`;
}

export function duration(seconds: number | null | undefined): string {
  if (seconds == null || !isFinite(seconds)) return "–";
  if (seconds < 1) return "< 1 s";
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${(seconds / 3600).toFixed(1)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** A metric: whole numbers whole, shares and means with three figures. */
export function measure(value: number | null | undefined): string {
  if (value == null || Number.isNaN(value)) return "–";
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return count(value);
  return Math.abs(value) >= 100 ? value.toFixed(1) : value.toPrecision(3);
}

export function signed(value: number | null | undefined): string {
  if (value == null || Number.isNaN(value)) return "–";
  const told = measure(Math.abs(value));
  return value > 0 ? `+${told}` : value < 0 ? `−${told}` : told;
}

export const percent = (share: number): string => `${Math.round(share * 100)} %`;
export const stars = (given: number): string => "★".repeat(given) + "☆".repeat(Math.max(0, 5 - given));

/** A moment given in seconds since 1970, as one reads it here. */
export const when = (seconds: number): string => new Date(seconds * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
