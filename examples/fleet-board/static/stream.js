// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

// follow keeps a stream of the server's events open, and calls
//   onReset()      the whole fleet follows
//   onShips(data)  ships as they are now, and keys of those that are gone
//   onSamples(data)
//   onState(open)  whether the stream is open
// A stream that the browser gives up is opened again from where it was. A page in
// the background needs none: a browser has only few connections to a server.
export function follow({ onReset, onShips, onSamples, onState }) {
  let source = null;
  let last = ""; // id of the last event, from which the stream goes on
  let retry = 0;
  let wait = 1000;

  function open() {
    clearTimeout(retry);
    if (source || document.hidden) return;
    source = new EventSource(last ? "/events?after=" + encodeURIComponent(last) : "/events");
    source.addEventListener("open", () => {
      wait = 1000;
      onState(true);
    });
    source.addEventListener("error", () => {
      onState(false);
      if (source?.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
      close();
      retry = setTimeout(open, wait);
      wait = Math.min(2 * wait, 15000);
    });
    const listen = (name, take) => source.addEventListener(name, (event) => {
      last = event.lastEventId;
      take(JSON.parse(event.data));
    });
    listen("reset", onReset);
    listen("ships", onShips);
    listen("samples", onSamples);
  }

  function close() {
    source?.close();
    source = null;
  }

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) {
      open();
      return;
    }
    close();
    onState(false);
  });
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  open();
}
