// Colours of the theme, for canvases.

/** A colour of the theme as the canvas needs it. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
