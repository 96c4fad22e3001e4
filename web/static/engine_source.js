// The engine of the page, loaded once and not before it is needed: from the server, or from the file itself when that is a
// static site.

import { Engine } from "./engine.js";
import { isSite, request } from "./api.js";

const inlined = document.getElementById("engine");

// Whether the page has the engine: a site may have been published without it.
export const hasEngine = !isSite || inlined !== null;

let loading;

export function loadEngine() {
  loading ??= Engine.load(inlined ? Uint8Array.from(atob(inlined.textContent), (letter) => letter.charCodeAt(0)) : fetch("/static/engine.wasm"));
  return loading;
}

// The engine, which knows the likelihoods of the clue noise: those of a noise that is not built in come from the server.
export async function engineFor(noise) {
  const engine = await loadEngine();
  if (!engine.knowsNoise(noise) && !isSite) engine.tables.set(noise, await request("/api/positions/noise", { noise }));
  return engine;
}
