// A server of games for the scripts of the pages: it plays on one layout, its answers arrive when the test lets them, and it
// can forget.

import { readFileSync } from "node:fs";

const RULES = { on_mine: "end", first_click: "any", flood: true, start: null };
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
  sources: [{ name: "uniform" }, { name: "no-guess" }],
};

// The engine of the pages, as a server sends it.
export function engineResponse() {
  const bytes = readFileSync(new URL("../../web/static/engine.wasm", import.meta.url));
  return new Response(bytes, { headers: { "content-type": "application/wasm" } });
}

export class FakeServer {
  // `layout` are the rows of the board, with * for mines. It becomes the `fetch` of the scripts.
  constructor(...layout) {
    this.rows = layout.length;
    this.cols = layout[0].length;
    this.layout = layout.join("");
    this.games = new Map();
    this.started = 0;
    this.requests = []; // "moves flag 3", in the order of their arrival
    this.held = new Map(); // by the last word of the path: the answers that wait
    this.ignoresAbort = false; // an answer arrives although nobody waits for it any more
    this.flags = { wrong: [], conflicting: [] };
    globalThis.fetch = (path, { body, signal } = {}) => this.fetch(path, body === undefined ? undefined : JSON.parse(body), signal);
  }

  async fetch(path, body, signal) {
    const word = path.split("/").at(-1);
    this.requests.push([word, body?.action, body?.cell].filter((part) => part !== undefined).join(" "));
    const response = this.respond(path, body);
    if (this.held.has(word)) {
      await new Promise((go, stop) => {
        this.held.get(word).push(go);
        if (!this.ignoresAbort) signal?.addEventListener("abort", () => stop(new Error("aborted")));
      });
    }
    return response;
  }

  respond(path, body) {
    try {
      const answer = structuredClone(this.answer(path.split("/").slice(2), body));
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

  // What a restart does.
  forgetGames() {
    this.games.clear();
  }

  answer([kind, id, action], body) {
    if (kind === "options") return OPTIONS;
    if (kind !== "games") throw refusal(404, "no such path");
    if (id === undefined) return this.begin(body);
    const game = this.games.get(id);
    if (!game) throw refusal(404, "there is no such game");
    if (action === undefined) return { ...this.state(game), saved: game.words.join(" ") };
    if (action !== "adviser" && body.version !== game.version) throw refusal(409, "the game went on elsewhere");
    return this[action](game, body);
  }

  begin(body) {
    if (body.mines > this.layout.length) throw refusal(422, `${body.mines} mines on ${this.rows} x ${this.cols}`);
    this.started += 1;
    const game = { id: `game${this.started}`, body, version: 0, words: [], undone: body.saved?.undone ?? 0, agent: body.agent, seed: body.seed ?? this.started };
    this.games.set(game.id, game);
    for (const word of body.saved?.turns.split(" ").filter(Boolean) ?? []) {
      if (Number(word.slice(1)) >= this.layout.length) throw refusal(422, `turn ${word} breaks the rules`);
      game.words.push(word);
    }
    return this.state(game);
  }

  moves(game, { action, cell }) {
    const { shown, over } = this.state(game);
    if (over || (action === "open" && shown[cell] !== ".")) throw refusal(409, `cell ${cell} cannot be opened`);
    return this.add(game, `${action[0]}${cell}`);
  }

  add(game, word) {
    game.words.push(word);
    game.version += 1;
    return this.state(game);
  }

  undo(game) {
    game.words.pop();
    game.version += 1;
    game.undone += 1;
    return this.state(game);
  }

  adviser(game, { agent }) {
    game.agent = agent;
    return this.state(game);
  }

  // The agent opens the first safe cell, and gives up if there is none.
  step(game) {
    const turn = this.hint(game);
    const state = turn.open.length ? this.add(game, `o${turn.open[0]}`) : this.state(game);
    return { ...state, turn };
  }

  // `quits` gives up; `exact` knows every safe cell and every mine once a cell is open, and guesses the first safe one before.
  hint(game) {
    const { shown, turns } = this.state(game);
    const cells = (mark) => [...this.layout].flatMap((truth, cell) => (truth === mark && shown[cell] === "." ? [cell] : []));
    const certain = turns ? { safe: cells("."), mines: cells("*") } : { safe: [], mines: [] };
    const open = game.agent === "quits" ? [] : cells(".").slice(0, turns ? undefined : 1);
    const evidence = turns ? Object.fromEntries(open.map((cell) => [cell, [shown.search(/\d/)]])) : {};
    return { open, flag: game.agent === "quits" ? [] : certain.mines, unflag: [], why: turns ? "proof" : "guess", probability: turns ? null : 0.2, certain, flags: this.flags, evidence };
  }

  odds(game) {
    const { turns } = this.state(game);
    const chance = (mark) => (turns ? (mark === "*" ? 100 : 0) : 20);
    return { percent: [...this.layout].flatMap((mark) => [chance(mark), 1]), status: "ok", first_click_safe: Boolean(this.firstClickSafe) };
  }

  // The position after the turns: no cell floods.
  state(game) {
    const { words, body } = game;
    const shown = Array(this.layout.length).fill(".");
    for (const word of words) {
      const cell = Number(word.slice(1));
      if (word[0] === "f") shown[cell] = shown[cell] === "F" ? "." : "F";
      else shown[cell] = this.layout[cell] === "*" ? "*" : String(this.clue(cell));
    }
    const isLost = shown.includes("*");
    const isWon = !isLost && shown.every((mark, cell) => /\d/.test(mark) || this.layout[cell] === "*");
    const mines = this.layout.split("*").length - 1;
    const over = isLost || isWon;
    const result = { won: isWon, ending: isWon ? "won" : "lost", opened: shown.filter((mark) => /\d/.test(mark)).length, scores: {} };
    return {
      id: game.id, version: game.version, rows: this.rows, cols: this.cols, mines, shown: shown.join(""), over,
      rules: { ...RULES, on_mine: body.on_mine ?? "end", first_click: body.first_click ?? "any" },
      source: body.source ?? "uniform", noise: body.noise ?? "exact-clues", seed: game.seed, number: body.number ?? 0, agent: game.agent,
      left: mines - shown.filter((mark) => mark === "F").length, turns: words.length, last: words.at(-1) ?? "", undone: game.undone,
      clicks: words.length, with_hints: 0, with_odds: 0, seconds: words.length ? 1 : null, three_bv: over ? 3 : null, lies: {},
      ...(over ? { layout: this.layout, result } : {}),
    }; // prettier-ignore
  }

  clue(cell) {
    const [row, col] = [Math.floor(cell / this.cols), cell % this.cols];
    const isNear = (other) => Math.abs(Math.floor(other / this.cols) - row) <= 1 && Math.abs((other % this.cols) - col) <= 1;
    return [...this.layout].filter((mark, other) => mark === "*" && isNear(other)).length;
  }
}

function refusal(status, message) {
  return Object.assign(new Error(message), { status });
}
