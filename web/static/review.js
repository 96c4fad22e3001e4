// Review: a finished game of a person, kept by this browser or played elsewhere, with what every click was worth.

import { pageLink } from "./address.js";
import { fetchOptions } from "./api.js";
import { field, h, select } from "./dom.js";
import { heatScale } from "./legend.js";
import { keptReplay, recordedReplay } from "./own_replays.js";
import { MAX_BYTES } from "./rawvf.js";
import { Replay } from "./replay.js";
import { ReplayPanel } from "./replay_panel.js";
import { reviewSummary } from "./review_summary.js";
import { listGames, saveGame, saveTurns } from "./saved_games.js";
import { fillRules } from "./rules.js";
import { boardAddress } from "./setup.js";
import { Timeline } from "./timeline.js";

let dropped = null; // a file that was dropped on another page

// Open this page with a file.
export function reviewFile(file) {
  dropped = file;
  if (location.hash === "#/review") dispatchEvent(new HashChangeEvent("hashchange", { oldURL: location.href, newURL: location.href }));
  else location.hash = "#/review";
}

export async function review(container, params, address) {
  const page = new ReviewPage(await fetchOptions(), address);
  container.replaceChildren(page.element);
  page.begin();
  return () => page.close();
}

class ReviewPage {
  constructor(options, address) {
    this.options = options;
    this.address = address;
    this.games = listGames();
    const ids = this.games.map(({ id }) => id);
    this.asked = address.choice("game", ids, "");
    this.wantedTurn = address.whole("turn", 0, 1_000_000, 0);
    this.timeline = new Timeline((turn, chosen) => this.show(turn, chosen));
    this.area = h("div", { class: "replay-panels" });
    this.summary = h("div", {});
    this.said = h("p", { class: "status", role: "status" });
    const file = h("input", { type: "file", accept: ".rawvf,.txt", onchange: () => this.openFile(file.files[0]) });
    const listed = this.games.map(({ id, board, setup }) => [id, gameName(board, setup, options)]);
    this.chosen = select({ name: "game", onchange: () => this.openKept(this.chosen.value) }, [["", listed.length ? "choose one" : "none is kept"], ...listed], this.asked);
    this.game = h("div", { class: "review-game", hidden: true }, this.timeline.element, h("div", { class: "review-columns" }, this.area, this.summary), h("div", { class: "watch-foot" }, heatScale(), h("p", { class: "small muted" }, "Keys: ← → one turn, Space play, Home start, End end.")));
    this.element = h(
      "div",
      { class: "review-page" },
      h("h1", { class: "sr-only" }, "Review"),
      address.notice(),
      h(
        "section",
        { class: "card fields drop-zone", "aria-label": "Choose a game" },
        field("A game that you played here", this.chosen),
        field("A game played elsewhere (RAWVF)", file),
        h("p", { class: "small muted" }, "A file can also be dropped anywhere on the page. It is read in the page and sent nowhere."),
      ),
      this.said,
      this.game,
    );
    this.onKey = (event) => !this.game.hidden && this.timeline.key(event);
    document.addEventListener("keydown", this.onKey);
  }

  close() {
    this.closed = true;
    this.timeline.stop();
    document.removeEventListener("keydown", this.onKey);
  }

  begin() {
    const file = dropped;
    dropped = null;
    if (file) this.openFile(file);
    else if (this.asked) this.openKept(this.asked, this.wantedTurn);
  }

  async openFile(file) {
    if (!file) return;
    this.address.set({ game: null, turn: null });
    this.chosen.value = "";
    if (file.size > MAX_BYTES) this.fail(new Error(`${file.name} has ${file.size.toLocaleString("en")} bytes: expected at most ${MAX_BYTES.toLocaleString("en")}.`));
    else await this.open(async () => recordedReplay(await file.text(), file.name), 0, file.name);
  }

  async openKept(id, turn = null) {
    if (turn === null) this.address.set({ game: id || null, turn: null });
    if (id) await this.open(() => keptReplay(id, this.options), turn ?? 0);
  }

  async open(load, turn, name = "") {
    this.said.className = "status";
    this.said.textContent = "Reviewing the game …";
    const asked = {};
    this.asking = asked;
    try {
      const found = await load();
      if (this.closed || this.asking !== asked) return;
      this.said.textContent = "";
      this.draw(found, turn);
    } catch (error) {
      if (!this.closed && this.asking === asked) this.fail(error, name);
    }
  }

  fail(error, name = "") {
    this.game.hidden = true;
    this.said.className = "status error";
    this.said.textContent = name ? `${name}: ${error.message}` : error.message;
  }

  draw(found, turn) {
    this.found = found;
    const { replay, setup } = found;
    this.replay = new Replay([], replay, { rules: setup, noise: setup.noise });
    this.panel = new ReplayPanel(this.replay, setup, { go: (t) => this.timeline.go(t), scrolled: () => {}, noise: setup.noise });
    this.area.replaceChildren(this.panel.element);
    const cluesAt = (t, cell) => this.replay.positionAt(t)[cell];
    const actions = { show: (t) => this.timeline.go(t), tryAgain: (t) => this.tryAgain(t), cluesAt };
    this.summary.replaceChildren(replay.review ? reviewSummary(replay.review, replay.cols, actions) : "");
    this.game.hidden = false;
    this.panel.board.fit();
    this.timeline.reset(this.replay.length, Math.min(turn, this.replay.length));
  }

  async show(turn, chosen) {
    const { panel, replay } = this;
    if (!panel) return;
    if (chosen && this.address.params.has("game")) this.address.replace({ turn: turn || null });
    panel.draw(turn, true);
    panel.follow();
    await replay.loadOdds(turn);
    if (this.timeline.at === turn && this.panel === panel) panel.draw(turn, true);
  }

  // Play on from the position before a turn: a new game on the same board, which counts as one with turns taken back.
  tryAgain(turn) {
    const { body, words, setup, seconds } = this.found;
    const id = `local-${Math.random().toString(36).slice(2)}`;
    const { rows, cols, mines, noise, source, seed, number, layout } = setup;
    const kept = { ...body, agent: body.agent ?? this.options.agent };
    const state = { rows, cols, mines, noise, source, seed, number, given: body.layout ? layout : null, rules: fillRules({ ...setup, ...body }, this.options) };
    const address = boardAddress(state, this.options);
    const board = pageLink("play", sorted(address));
    saveGame(id, board, kept);
    saveTurns(id, { turns: words.slice(0, turn).join(" "), undone: Math.max(1, words.length - turn), seconds: seconds ?? 0 });
    location.hash = board;
  }
}

// The parameters of an address in the order of their names.
function sorted(values) {
  const known = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(known.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [key, String(value)]));
}

// A kept game in words: its board.
function gameName(board, setup, { presets }) {
  const { rows, cols, mines, number, seed } = setup ?? {};
  const name = Object.keys(presets).find((key) => presets[key].rows === rows && presets[key].cols === cols && presets[key].mines === mines);
  const size = name ? `${name[0].toUpperCase()}${name.slice(1)}` : `${rows} × ${cols}, ${mines} mines`;
  return seed === undefined ? `${size}, a given board` : `${size}, board ${number} of seed ${seed}`;
}
