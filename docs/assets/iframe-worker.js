// Browsers start no worker for a page that was opened from a file. The search of this site asks for one, so such
// pages run its script in a hidden frame instead. The theme looks for the name IFrameWorker to find its own scripts.
"use strict";
if (location.protocol === "file:") {
  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      const load = (source) => new Promise((loaded, failed) => {
        const script = inside.document.createElement("script");
        Object.assign(script, { src: String(source), onload: loaded, onerror: failed });
        inside.document.body.append(script);
      });
      inside.importScripts = async (...sources) => { for (const source of sources) await load(source); };
      inside.postMessage = (data) => {
        const message = new MessageEvent("message", { data });
        this.dispatchEvent(message);
        this.onmessage?.(message);
      };
      this.begun = load(url);
      this.inside = inside;
    }

    postMessage(data) {
      this.begun.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.inside.frameElement.remove();
    }
  }
  window.Worker = window.IFrameWorker = FrameWorker;
}
