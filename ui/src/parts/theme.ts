// Dark or light: as the system has it, until somebody chooses.

import { useEffect, useState, useSyncExternalStore } from "react";

export type Theme = "dark" | "light";
const KEPT = "audience-theme";

function system(): Theme {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function useTheme(): [Theme, () => void] {
  const [chosen, setChosen] = useState<Theme | null>(() => localStorage.getItem(KEPT) as Theme | null);
  const [own, setOwn] = useState(system);
  useEffect(() => {
    const media = matchMedia("(prefers-color-scheme: dark)");
    const changed = () => setOwn(system());
    media.addEventListener("change", changed);
    return () => media.removeEventListener("change", changed);
  }, []);
  const printing = usePrinting();
  const theme = printing ? "light" : chosen ?? own;
  useEffect(() => { document.documentElement.dataset["theme"] = theme; }, [theme]);
  const flip = () => {
    const other = theme === "dark" ? "light" : "dark";
    localStorage.setItem(KEPT, other);
    setChosen(other);
  };
  return [theme, flip];
}

function onPrint(told: () => void): () => void {
  const print = matchMedia("print");
  print.addEventListener("change", told);
  return () => print.removeEventListener("change", told);
}

/** Whether the page is being printed: paper is white. */
function usePrinting(): boolean {
  return useSyncExternalStore(onPrint, () => matchMedia("print").matches);
}
