// The engine of the page, loaded once and not before it is needed.

import { Engine } from "./engine.js";
import { ApiError, isSite, request, siteFile } from "./api.js";

let loading;

export function loadEngine() {
  loading ??= Engine.load(isSite ? siteModule() : serverModule()).catch((error) => {
    loading = undefined; // so that it can be tried again
    throw error;
  });
  return loading;
}

async function serverModule() {
  const response = await fetch("static/engine.wasm").catch(() => null);
  if (!response?.ok) throw new ApiError(0, "The engine of this page cannot be loaded. Is the server still running?");
  return response;
}

async function siteModule() {
  return Uint8Array.from(atob(await siteFile("engine")), (letter) => letter.charCodeAt(0));
}

// The engine, which knows the likelihoods of the clue noise: those of a noise that is not built in come from the server.
export async function engineFor(noise) {
  const engine = await loadEngine();
  if (!engine.knowsNoise(noise) && !isSite) engine.tables.set(noise, await request("api/positions/noise", { noise }));
  return engine;
}
