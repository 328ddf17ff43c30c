// Keyboard shortcuts: single keys, silent while somebody types.

import { useEffect, useRef } from "react";

export type Keys = Record<string, () => void>;

export const SHEET: [string, string][] = [
  ["Space", "play or pause"], [".", "step one visit"], [",", "step one round"], ["[  ]", "go one round back or forward"],
  ["l", "back to the latest round"], ["1 … 9", "the tabs of a run in their order"], ["/", "find a person"],
  ["Esc", "close the open panel"], ["r", "all runs"], ["n", "new run"], ["t", "dark or light"], ["?", "show this list"],
];

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement
    && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
}

export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event.target)) return;
      const onButton = event.target instanceof HTMLElement && event.target.closest("button, a, summary, [role=tab]");
      if (onButton && (event.key === " " || event.key === "Enter")) return;
      if (document.querySelector("dialog[open], :popover-open")) return;
      const act = latest.current[event.key];
      if (act) { event.preventDefault(); act(); }
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}
