// A page that was opened as a file may neither fetch the index of the search nor start a worker. The index comes as a script
// instead, and the worker's script runs in a frame. Served pages do as the theme has it.
"use strict";
if (location.protocol === "file:") {
  const source = new URL(document.currentScript.dataset.index, location);

  const run = (url, inside = window) =>
    new Promise((resolve, reject) => {
      const script = inside.document.createElement("script");
      Object.assign(script, { src: url, onload: resolve, onerror: reject });
      inside.document.head.append(script);
    });

  window.__search = {
    index: new Promise((resolve) => addEventListener("load", resolve)).then(() => run(source)).then(() => search_index),
  };

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.ready = run(new URL(url, location), this.inside);
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
