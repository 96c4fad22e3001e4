// Play: a person's own game, with hints from an agent.

import { request } from "./api.js";
import { Board } from "./board.js";
import { asHint, expandRuns } from "./cell_view.js";
import { Controls } from "./controls.js";
import { h } from "./dom.js";
import { legend } from "./legend.js";
import { canChord } from "./position.js";
import { SetupForm } from "./setup.js";
import { REASONS, REASON_MARKS, cellName, count, flagWarning, hintText, percent, resultText } from "./text.js";

export async function play(container, params) {
  const page = new PlayPage(await request("/api/options"), params);
  container.replaceChildren(page.element);
  await page.start(page.setup.newGame());
  return () => page.close();
}

class PlayPage {
  constructor(options, params) {
    this.state = null; // the game, as the server last sent it
    this.turn = null; // the turn of the hint, as the server sent it
    this.hint = null; // the same turn as the board draws it; null while it is unknown or hidden
    this.odds = null; // the mine probability of each cell; null while they are unknown or hidden
    this.busy = false;
    this.playing = false;
    this.inspected = null;
    this.setup = new SetupForm(options, params, (newGame) => this.start(newGame));
    this.status = h("p", { class: "status", role: "status", "aria-live": "polite" });
    this.cellInfo = h("p", { class: "cell-info small muted" });
    this.counters = h("dl", { class: "counters" });
    this.frame = h("div", { class: "frame" });
    this.newGameButtons = h("div", { class: "new-game" });
    this.controls = new Controls(this);
    this.element = h(
      "div",
      { class: "play-page" },
      h("h1", { class: "sr-only" }, "Play"),
      this.setup.element,
      h(
        "div",
        { class: "play-main" },
        h("div", { class: "status-line" }, this.status, this.newGameButtons),
        h("div", { class: "board-head" }, this.counters, this.controls.zoom),
        this.frame,
        this.cellInfo,
      ),
      h("aside", { class: "card side", "aria-label": "Help" }, this.controls.element, legend()),
    );
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
  }

  close() {
    this.stop();
    document.removeEventListener("keydown", this.onKey);
  }

  // Start a new game; `newGame` is the body of the request.
  async start(newGame) {
    this.stop();
    const task = async () => {
      this.newGame = newGame;
      const state = await request("/api/games", newGame);
      this.board = new Board({
        rows: state.rows,
        cols: state.cols,
        label: `Minefield, ${state.rows} rows, ${state.cols} columns`,
        act: (action, cell) => this.act(action, cell),
        inspect: (cell) => this.inspect(cell),
      });
      this.frame.replaceChildren(this.board.element);
      this.board.fit();
      this.state = null;
      await this.setState(state);
    };
    await this.runTask(task, () => this.start(newGame));
  }

  // Run one task at a time; an error is shown, and stops autoplay. While a task runs, another call is not run but
  // its `retry` is kept, and called when the task has ended; only the last `retry` is kept.
  async runTask(task, retry) {
    if (this.busy) {
      this.retry = retry;
      return;
    }
    this.busy = true;
    this.element.classList.add("busy");
    try {
      await task();
    } catch (error) {
      this.stop();
      this.status.textContent = error.message;
      this.status.className = "status error";
      this.drawnStatus = null;
      if (error.status === 404) this.drawNewGameButtons();
    } finally {
      this.busy = false;
      this.element.classList.remove("busy");
      const next = this.retry;
      this.retry = null;
      next?.();
    }
  }

  async setState(state) {
    const before = this.state?.shown;
    this.state = state;
    this.hint = null;
    this.odds = null;
    this.changed = new Set();
    if (before) for (let i = 0; i < before.length; i += 1) if (before[i] !== state.shown[i]) this.changed.add(i);
    this.draw();
    if (state.over) this.stop();
    else await this.fetchHintAndOdds();
  }

  // Fetch the hint and the probabilities if they are switched on and not known yet.
  async fetchHintAndOdds() {
    const path = `/api/games/${this.state.id}`;
    if (this.controls.hints && !this.hint) {
      this.turn = await request(`${path}/hint`, {});
      this.hint = asHint(this.turn);
      this.draw();
    }
    if (this.controls.odds && !this.odds) {
      const odds = await request(`${path}/odds`, {});
      this.odds = expandRuns(odds.percent);
      this.oddsStatus = odds.status;
      this.firstClickSafe = odds.first_click_safe;
      this.draw();
    }
  }

  updateHintAndOdds() {
    if (this.state && !this.state.over) this.runTask(() => this.fetchHintAndOdds(), () => this.updateHintAndOdds());
  }

  // The person clicked a cell, or pressed a key on it: `action` is open, flag or chord.
  act(action, cell) {
    if (!this.state || this.state.over || this.playing) return;
    const code = this.state.shown[cell];
    let move = action;
    if (action === "open" && this.hint?.flags.has(cell) && this.controls.hints) move = "flag";
    else if (action === "open" && code === "F" && (this.hint?.unflags.has(cell) || this.hint?.wrong.has(cell))) move = "flag";
    else if (action === "open" && this.controls.flagging && (code === "." || code === "F")) move = "flag";
    else if (action === "open" && code !== ".") return;
    if (move === "flag" && code !== "." && code !== "F") return;
    if (move === "chord" && !canChord(this.state, cell)) return;
    this.runTask(
      async () => this.setState(await request(`/api/games/${this.state.id}/moves`, { action: move, cell })),
      () => this.act(action, cell),
    );
  }

  // Let the agent take its turn.
  step() {
    if (!this.state || this.state.over) return Promise.resolve();
    return this.runTask(async () => {
      const state = await request(`/api/games/${this.state.id}/step`, {});
      const { open, flag, unflag } = state.turn;
      if (!open.length && !flag.length && !unflag.length) this.stop(); // the agent gives up; the person may play on
      await this.setState(state);
    });
  }

  undo() {
    this.stop();
    if (!this.state?.turns) return;
    this.runTask(
      async () => this.setState(await request(`/api/games/${this.state.id}/undo`, {})),
      () => this.undo(),
    );
  }

  // Start or pause autoplay.
  async toggle() {
    if (this.playing) {
      this.stop();
      return;
    }
    this.playing = true;
    this.controls.showPlaying(this.playing);
    while (this.playing && this.state && !this.state.over) {
      await this.step();
      await new Promise((wake) => setTimeout(wake, this.controls.delay()));
    }
    this.stop();
  }

  stop() {
    this.playing = false;
    this.controls.showPlaying(this.playing);
  }

  // A checkbox of the controls was switched on or off.
  controlsChanged() {
    if (!this.controls.hints) this.hint = null;
    if (!this.controls.odds) this.odds = null;
    this.draw();
    this.updateHintAndOdds();
  }

  // The pointer or the focus is on a cell, or on none.
  inspect(cell) {
    const proof = (i) => (i === null ? undefined : this.hint?.evidence[i]);
    const redraw = proof(cell) || proof(this.inspected);
    this.inspected = cell;
    if (redraw) this.draw();
    else this.drawCellInfo();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input[type=number], select")) return;
    const action = {
      h: () => this.controls.flip("hints"),
      p: () => this.controls.flip("odds"),
      n: () => this.step(),
      u: () => this.undo(),
    }[event.key.toLowerCase()];
    if (action) {
      event.preventDefault();
      action();
    }
  }

  draw() {
    const { state } = this;
    if (!state) return;
    const proves = new Set(this.inspected === null ? [] : (this.hint?.evidence[this.inspected] ?? []));
    this.board.draw({ ...state, hint: this.hint, odds: this.odds, proves, changed: this.changed });
    const counters = [
      ["Mines left", state.left],
      ["Turns", state.turns],
      ["Seed", state.number ? `${state.seed} / ${state.number}` : state.seed],
    ];
    this.counters.replaceChildren(...counters.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, String(value)))));
    this.controls.update(state);
    this.drawStatus();
    this.drawCellInfo();
  }

  drawStatus() {
    const { state } = this;
    let text = `Open a cell, or let ${state.agent} do it.`;
    let warning = "";
    this.status.className = "status";
    if (state.over) {
      text = resultText(state.result, state.result.scores, state.rules);
      this.status.className = `status end ${state.result.won ? "won" : ""}`;
    } else if (this.controls.hints) {
      text = this.hint ? hintText(this.turn, state.agent) : `${state.agent} is thinking …`;
      if (this.hint) warning = flagWarning(this.turn.flags, state.cols);
    }
    const mark = !state.over && this.hint && this.hint.opens.size ? REASON_MARKS[this.turn.why] : "";
    const title = REASONS[this.turn?.why];
    const drawn = `${warning}|${mark}|${text}`;
    if (drawn === this.drawnStatus) return; // so that a screen reader does not repeat the status
    this.drawnStatus = drawn;
    if (state.over) this.drawNewGameButtons();
    else this.newGameButtons.replaceChildren();
    this.status.replaceChildren(
      ...(warning ? [h("span", { class: "flag-warning" }, warning), " "] : []),
      ...(mark ? [h("b", { class: "reason-mark", title }, mark), " "] : []),
      text,
    );
  }

  drawCellInfo() {
    const cell = this.inspected;
    if (cell === null || !this.state) {
      const estimates = this.oddsStatus === "approximate" ? "The probabilities are estimates here." : " ";
      const text = this.firstClickSafe ? "The first click is safe by the rules, wherever it is." : estimates;
      this.cellInfo.textContent = this.odds ? text : " ";
      return;
    }
    const chance = this.odds?.[cell];
    const clues = this.hint?.evidence[cell]?.length ?? 0;
    this.cellInfo.textContent =
      cellName(cell, this.state.cols) +
      (chance === null || chance === undefined ? "" : `: a mine with ${percent(chance)}`) +
      (chance === 0 && this.firstClickSafe ? ", the first click is safe by the rules" : "") +
      (clues ? `; proved by ${count(clues, "outlined clue")}` : "");
  }

  drawNewGameButtons() {
    const button = (label, newGame) => h("button", { type: "button", onclick: () => this.start(newGame) }, label);
    const sameBoard = { ...this.newGame, seed: this.state?.seed, number: this.state?.number };
    this.newGameButtons.replaceChildren(
      button("New game", this.setup.newGame()),
      ...(this.state ? [button("Same board again", sameBoard)] : []),
    );
  }
}
