// Play: a person's own game, with hints from an agent.

import { pageLink, shareButton } from "./address.js";
import { fetchOptions } from "./api.js";
import { Board } from "./board.js";
import { isPossible, moveOf } from "./clicks.js";
import { Controls } from "./controls.js";
import { h } from "./dom.js";
import { GameClient } from "./game_client.js";
import { hintText } from "./hint_text.js";
import { heatScale, legend } from "./legend.js";
import { clock, endText, endTitle } from "./play_text.js";
import { keepGame } from "./person.js";
import { analysisLink } from "./position_code.js";
import { lastMine } from "./rules.js";
import { forgetGame, saveGame, savedGame } from "./saved_games.js";
import { SetupForm, boardAddress, gameBody } from "./setup.js";
import { REASON_MARKS, REASON_WORDS, backgroundText, cellName, count, flagWarning, percent } from "./text.js";

const LOST = "Your last game cannot be played again";

export async function play(container, params, address) {
  const page = new PlayPage(await fetchOptions(), address);
  container.replaceChildren(page.element);
  await page.begin();
  return () => page.close();
}

class PlayPage {
  constructor(options, address) {
    this.options = options;
    this.address = address;
    this.game = new GameClient(options, () => this.draw(), (error) => this.showError(error));
    this.playing = false;
    this.inspected = null;
    this.setup = new SetupForm(options, address, (newGame) => this.start(newGame), (agent) => this.changeAdviser(agent));
    this.status = h("p", { class: "status", role: "status", "aria-live": "polite" });
    this.error = h("p", { class: "status error", role: "alert", hidden: true });
    this.cellInfo = h("p", { class: "cell-info small muted" });
    this.counters = new Counters();
    this.frame = h("div", { class: "frame" });
    const button = (label, newGame) => h("button", { type: "button", title: label === "New game" ? "F2" : null, onclick: () => this.start(newGame()) }, label);
    const newGames = h("div", { class: "new-game" }, button("New game", () => this.setup.newGame()), button("Same board", () => this.setup.thisBoard()));
    this.controls = new Controls(this);
    this.scale = heatScale();
    this.analyse = h("a", { class: "button", href: "#/analysis" }, "Analyse this position");
    this.element = h(
      "div",
      { class: "play-page" },
      h("h1", { class: "sr-only" }, "Play"),
      this.address.notice(),
      h(
        "div",
        { class: "play-main" },
        h("div", { class: "board-head" }, this.counters.element, newGames, this.controls.zoom),
        h("div", { class: "status-line" }, this.status, this.error),
        this.frame,
        this.cellInfo,
        this.controls.thumbBar,
      ),
      h(
        "aside",
        { class: "side", "aria-label": "Game and help" },
        this.setup.element,
        h("div", { class: "card" }, this.controls.element, this.scale, h("div", { class: "own-links" }, this.analyse, shareButton()), legend()),
      ),
    );
    this.onKey = (event) => this.pageKey(event);
    document.addEventListener("keydown", this.onKey);
    this.frame.addEventListener("keydown", (event) => this.boardKey(event));
    this.ticking = setInterval(() => this.game.state && this.counters.drawTime(this.game.seconds()), 47);
  }

  close() {
    this.stop();
    this.game.close();
    clearInterval(this.ticking);
    document.removeEventListener("keydown", this.onKey);
  }

  // Go on with the game that the address names, or with the last one; else start one.
  async begin() {
    this.game.wants = { hint: this.controls.hints, odds: this.controls.odds };
    const { params } = this.address;
    const isAsked = [...params.keys()].some((key) => key !== "agent");
    const saved = savedGame(isAsked ? boardKey(Object.fromEntries(params)) : null);
    if (saved) {
      try {
        await this.game.resume(saved.id);
        if (params.has("agent") && this.game.state.agent !== this.setup.agent.value) await this.changeAdviser(this.setup.agent.value);
        return;
      } catch (error) {
        if (!(error.status >= 400 && error.status < 500)) throw error; // its board needs a server that does not answer
        forgetGame(saved.id);
        this.note = isAsked && error.status === 404 ? "" : `${LOST} (${error.message}): this is a new one.`;
      }
    }
    await this.start(this.setup.thisBoard(), "replace");
  }

  // Start a new game; `newGame` is the body of the request. The address gets a step for Back, unless `way` is replace.
  async start(newGame, way = "set") {
    this.stop();
    this.clearError();
    this.way = way;
    if (way === "set") this.note = "";
    await this.game.start(newGame);
  }

  // A game has been started or gone on with: make its board, and put it into the address.
  showGame() {
    const { state } = this.game;
    this.game.isNew = false;
    const hadFocus = this.frame.contains(document.activeElement);
    const focused = this.board?.rows === state.rows && this.board.cols === state.cols ? this.board.focused : 0;
    this.board = new Board({
      rows: state.rows,
      cols: state.cols,
      label: `Minefield, ${state.rows} rows, ${state.cols} columns`,
      act: (action, cell, look) => this.act(action, cell, look),
      inspect: (cell) => this.inspect(cell),
    });
    this.frame.replaceChildren(this.board.element);
    this.board.fit();
    if (hadFocus) this.board.focus(focused);
    this.drawnStatus = null;
    this.setup.showBoard(state);
    const values = boardAddress(state, this.options);
    this.address[this.way ?? "replace"]({ ...values, ...this.adviserInAddress() });
    this.way = "set";
    this.remember();
  }

  // Keep the setup of the game in the browser; its turns are kept as they are made.
  remember() {
    const { state } = this.game;
    saveGame(state.id, boardKey(boardAddress(state, this.options)), gameBody(state));
  }

  adviserInAddress() {
    const { agent } = this.game.state;
    this.setup.agent.value = agent;
    this.setup.update();
    return { agent: agent === this.options.agent ? null : agent };
  }

  async changeAdviser(agent) {
    await this.game.changeAdviser(agent);
    this.address.replace(this.adviserInAddress());
    this.remember();
  }

  // The person clicked a cell, or pressed a key on it: `action` is open, flag or chord, `look` what was drawn there.
  act(action, cell, look) {
    const { state } = this.game;
    if (!state || state.over || this.playing) return;
    this.clearError();
    this.note = "";
    const { hints, odds, flagging } = this.controls;
    const move = moveOf(action, look, flagging && action === "open");
    if (move) this.game.move(move === "unflag" ? "flag" : move, cell, { hints, odds }, (now) => isPossible(move, now, cell));
  }

  async step() {
    this.clearError();
    if (!(await this.game.step())) this.stop(); // the agent gives up; the person may play on
  }

  undo() {
    this.stop();
    this.clearError();
    this.game.undo();
  }

  // Start or pause autoplay.
  async toggle() {
    if (this.playing) {
      this.stop();
      return;
    }
    this.playing = true;
    this.controls.showPlaying(this.playing);
    while (this.playing && this.game.state && !this.game.state.over) {
      await this.step();
      await new Promise((wake) => setTimeout(wake, this.controls.delay()));
      await this.game.fetched; // the hint for this position, which the next step takes
    }
    this.stop();
  }

  stop() {
    this.playing = false;
    this.controls.showPlaying(this.playing);
  }

  // A checkbox of the controls was switched on or off.
  controlsChanged() {
    this.game.want("hint", this.controls.hints);
    this.game.want("odds", this.controls.odds);
    this.draw();
  }

  // The pointer or the focus has moved to a cell, or away (null).
  inspect(cell) {
    const proof = (i) => (i === null ? undefined : this.drawnHint?.evidence[i]);
    const redraw = proof(cell) || proof(this.inspected);
    this.inspected = cell;
    if (redraw) this.draw();
    else this.drawCellInfo();
  }

  // Letters are for the board: elsewhere somebody may be writing.
  boardKey(event) {
    this.useKey(event, {
      h: () => this.controls.flip("hints"),
      p: () => this.controls.flip("odds"),
      n: () => this.step(),
      u: () => this.undo(),
    });
  }

  pageKey(event) {
    this.useKey(event, { f2: () => this.start(this.setup.newGame()) });
  }

  useKey(event, actions) {
    const action = actions[event.key.toLowerCase()];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  // The hint for this position; null while it is not known, or not wanted.
  get hint() {
    return this.controls.hints ? this.game.hint : null;
  }

  // The hint that is drawn: while the next is being computed, what stays certain of the last.
  get drawnHint() {
    const { hint, kept, state } = this.game;
    return this.controls.hints && !state?.over ? (hint ?? kept) : null;
  }

  get odds() {
    return this.controls.odds ? this.game.odds : null;
  }

  showError(error) {
    this.stop();
    this.error.hidden = false;
    const canRepeat = error.isTemporary && (!this.game.state || Object.keys(this.game.refused).length);
    const again = canRepeat ? [" ", h("button", { type: "button", class: "small-button", onclick: () => this.tryAgain() }, "Try again")] : [];
    this.error.replaceChildren(`${error.message[0].toUpperCase()}${error.message.slice(1)}`, ...again);
  }

  tryAgain() {
    this.clearError();
    if (this.game.state) this.game.again();
    else this.begin();
  }

  clearError() {
    this.error.hidden = true;
  }

  draw() {
    const { state } = this.game;
    this.scale.hidden = !this.controls.odds;
    this.element.classList.toggle("busy", this.game.busy);
    this.element.classList.toggle("empty", !state);
    if (!state) return;
    if (this.game.isNew) this.showGame();
    const proves = new Set(this.inspected === null ? [] : (this.drawnHint?.evidence[this.inspected] ?? []));
    const { percent: odds, frontier, background } = this.odds ?? {};
    this.board.draw({ ...state, hint: this.drawnHint, odds, frontier, background, proves, changed: this.game.differences });
    this.counters.draw(state, this.game.seconds());
    this.controls.update(state);
    this.analyse.href = analysisLink(state, state.rules);
    this.drawStatus();
    this.drawCellInfo();
  }

  drawStatus() {
    const { state, turn, refused } = this.game;
    const isThinking = !state.over && this.controls.hints && !this.hint && !refused.hint;
    this.status.classList.toggle("old", isThinking && Boolean(this.drawnStatus));
    if (isThinking && this.drawnStatus && !this.note) return; // the old hint stays until the new one is there
    let text = `Open a cell, or let ${state.agent} do it.`;
    let warning = "";
    if (state.over) text = endText(state);
    else if (this.hint) {
      text = hintText(turn, state.agent);
      warning = flagWarning(turn.flags, state.cols);
    } else if (isThinking) text = `${state.agent} is thinking …`;
    this.status.className = state.over ? `status end ${state.result.won ? "won" : ""}` : "status";
    if (this.note) text = `${this.note} ${text}`;
    const why = state.over ? null : this.markOfHint();
    const drawn = `${warning}|${why}|${text}`;
    if (drawn === this.drawnStatus) return; // so that a screen reader does not repeat the status
    this.drawnStatus = drawn;
    this.kept = state.over ? this.kept : null;
    if (state.over) this.keep();
    document.title = `${state.over ? `${endTitle(state)} · ` : ""}Play · sweepstakes`;
    this.status.replaceChildren(
      ...(warning ? [h("span", { class: "flag-warning" }, warning), " "] : []),
      ...(why ? [h("b", { class: `reason-mark ${why}` }, `${REASON_MARKS[why]} ${REASON_WORDS[why]}`), " "] : []),
      text,
      ...(state.over && state.turns ? [" ", h("a", { href: pageLink("review", { game: state.id }) }, "Review this game")] : []),
    );
  }

  // Keep a game on a board of the run that is open, and say where that puts the person among the agents.
  async keep() {
    const { state, game } = this.game;
    try {
      this.kept ??= keepGame(state, game.turns.map(({ open, flag, unflag }) => ({ open, flag, unflag })));
      const said = await this.kept;
      if (said && this.game.state === state) this.status.append(" ", h("span", { class: "place" }, said));
    } catch (error) {
      this.showError(error);
    }
  }

  // The mark before the text of the hint: H if a cell is certainly safe, else that of the agent's turn.
  markOfHint() {
    const { hint } = this;
    if (!hint) return null;
    const { opens, safe, claimed, why } = hint;
    if (safe.size || (why === "proof" && [...opens].some((cell) => !claimed.has(cell)))) return "proof";
    return opens.size && why !== "proof" ? why : null;
  }

  drawCellInfo() {
    const { state } = this.game;
    const { odds } = this;
    const cell = this.inspected;
    if (cell === null || !state) {
      const background = odds?.background === undefined ? "" : `${backgroundText(odds.background)} `;
      const estimates = odds?.status === "approximate" ? "The probabilities are estimates here." : "";
      const text = odds?.firstClickSafe ? "The first click is safe by the rules, on any cell." : background + estimates;
      this.cellInfo.textContent = text || "\u00a0";
      return;
    }
    const chance = odds?.percent[cell];
    const clues = this.drawnHint?.evidence[cell]?.length ?? 0;
    const truth = state.lies?.[cell];
    this.cellInfo.textContent =
      cellName(cell, state.cols) +
      (chance === null || chance === undefined ? "" : `: a mine with ${percent(chance)}`) +
      (chance === 0 && odds.firstClickSafe ? ", the first click is safe by the rules" : "") +
      (truth === undefined ? "" : `: the true number is ${truth}`) +
      (clues ? `; proved by ${count(clues, "outlined clue")}` : "");
  }
}

// Mines left, those that went off where play goes on after them, time, clicks; at the end 3BV.
class Counters {
  constructor() {
    this.values = {};
    const entry = (name, title) => {
      this.values[name] = h("dd", { class: name });
      return h("div", {}, h("dt", {}, title), this.values[name]);
    };
    this.threeBv = entry("three-bv", "3BV");
    this.detonated = entry("detonated", "Detonated");
    this.element = h("dl", { class: "counters" }, entry("left", "Mines left"), this.detonated, entry("time", "Time"), entry("clicks", "Clicks"), this.threeBv);
  }

  draw(state, seconds) {
    this.values.left.textContent = state.left;
    this.values.clicks.textContent = state.clicks;
    this.threeBv.hidden = !state.three_bv;
    this.detonated.hidden = lastMine(state.rules) === 1; // the first one ends the game
    this.values.detonated.textContent = state.detonated;
    this.values["three-bv"].textContent = state.three_bv ?? "";
    this.drawTime(seconds);
  }

  drawTime(seconds) {
    const text = clock(seconds);
    if (this.values.time.textContent !== text) this.values.time.textContent = text;
  }
}

// The board that an address deals, as a text that is the same for the same board.
function boardKey(values) {
  const params = Object.entries(values).filter(([key, value]) => key !== "agent" && value !== null);
  return pageLink("play", Object.fromEntries(params.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [key, String(value)])));
}
