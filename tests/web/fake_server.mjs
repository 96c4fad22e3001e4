// A server for the scripts of the pages: it sends the engine, deals one layout and answers for the agent `quits`, when the
// test lets it.

import { readFileSync } from "node:fs";

export const OPTIONS = {
  agent: "exact",
  agents: [
    { name: "exact", summary: "Knows every layout." },
    { name: "quits", summary: "Gives up." },
    { name: "gone", missing: "it has changed since" },
  ],
  largest: 100,
  noises: [
    { name: "exact-clues", parameters: {} },
    { name: "hidden", parameters: { rate: 0.1 } },
  ],
  presets: { beginner: { rows: 9, cols: 9, mines: 10 } },
  in_page: "exact",
  rules: {
    on_mine: { kind: "word", title: "Mines", phrases: { continue: "play goes on after a mine", end: "the first mine ends the game" } },
    first_click: {
      kind: "word",
      title: "First click",
      phrases: { any: "the first click may be a mine", safe: "the first click is safe", opening: "the first click opens a blank" },
    },
    start: { kind: "cell", title: "Start", phrases: {} },
    flood: { kind: "flag", title: "Flooding", phrases: { yes: "", no: "blanks do not open their neighbours" } },
  },
  defaults: { on_mine: "end", first_click: "opening", start: null, flood: "yes", source: "uniform", noise: "exact-clues", number: 0 },
  sources: [{ name: "uniform" }, { name: "no-guess" }],
};

// The engine of the pages, as a server sends it.
export function engineResponse() {
  const bytes = readFileSync(new URL("../../web/static/engine.wasm", import.meta.url));
  return new Response(bytes, { headers: { "content-type": "application/wasm" } });
}

export class FakeServer {
  // `layout` are the rows of the boards of the source `no-guess`, with * for mines. It becomes the `fetch` of the scripts.
  constructor(...layout) {
    this.layout = layout.join("");
    this.requests = []; // the last word of each path, in the order of their arrival
    this.bodies = []; // of these requests
    this.held = new Map(); // by the last word of the path: the answers that wait
    globalThis.fetch = (path, { body } = {}) => this.fetch(path, body === undefined ? undefined : JSON.parse(body));
  }

  async fetch(path, body) {
    const word = path.split("/").at(-1);
    if (word === "engine.wasm") return engineResponse();
    this.requests.push(word);
    this.bodies.push(body);
    const response = this.respond(word, body);
    if (this.held.has(word)) await new Promise((go) => this.held.get(word).push(go));
    return response;
  }

  respond(word, body) {
    try {
      const answer = structuredClone(this[word](body));
      return { ok: true, status: 200, json: async () => answer };
    } catch (error) {
      if (!error.status) throw error;
      return { ok: false, status: error.status, json: async () => ({ error: error.message }) };
    }
  }

  // Answers to such requests wait until they are released.
  hold(word) {
    this.held.set(word, []);
  }

  release(word) {
    const waiting = this.held.get(word);
    this.held.delete(word);
    for (const go of waiting) go();
  }

  options() {
    return OPTIONS;
  }

  run() {
    return null;
  }

  deal() {
    return { layout: this.layout };
  }

  // What an agent does that is not in the page: it gives up.
  turn() {
    return { open: [], flag: [], unflag: [], why: "proof", probability: null, fallback: false, evidence: {} };
  }
}
