// A button that copies a text, and says so.

import { useState } from "react";

export function Copy({ text, what }: { text: string; what: string }) {
  const [told, setTold] = useState("");
  const copy = () => {
    const done = () => { setTold("Copied"); window.setTimeout(() => setTold(""), 1500); };
    // Without encryption a browser offers no clipboard to pages of other machines.
    if (!navigator.clipboard) { setTold("Select the text, then copy it"); return; }
    navigator.clipboard.writeText(text).then(done, () => setTold("Select the text, then copy it"));
  };
  return <><button type="button" className="quiet small" aria-label={`Copy ${what}`} onClick={copy}>{told || "Copy"}</button><span className="hidden" role="status">{told}</span></>;
}
