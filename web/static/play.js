// Play: a game of one's own, with an agent at one's side.

import { Board } from "./board.js";
import { check, h, icon } from "./dom.js";
import { asHint, expand } from "./face.js";
import { setup } from "./setup.js";
import { call } from "./source.js";
import { speed } from "./speed.js";
import { REASONS, TAGS, advice, count, ending, percent, place } from "./words.js";

export async function play(room, choices) {
  const table = new Table(await call("/api/options"), choices);
  room.replaceChildren(table.element);
  await table.begin(table.setup.wish());
  return () => table.leave();
}

class Table {
  constructor(options, choices) {
    this.options = options;
    this.state = null;
    this.hint = null;
    this.odds = null;
    this.busy = false;
    this.playing = false;
    this.inspected = null;
    this.setup = setup(options, choices, (wish) => this.begin(wish));
    this.showHints = true;
    this.showOdds = false;
    this.flagging = false;
    this.say = h("p", { class: "say", role: "status", "aria-live": "polite" });
    this.looks = h("p", { class: "looks small muted" });
    this.counters = h("dl", { class: "counters" });
    this.frame = h("div", { class: "frame" });
    this.again = h("div", { class: "again" });
    this.speed = speed();
    this.buttons = this.makeButtons();
    this.element = h(
      "div",
      { class: "table" },
      h("h1", { class: "sr-only" }, "Play"),
      this.setup.form,
      h(
        "div",
        { class: "table-main" },
        h("div", { class: "say-line" }, this.say, this.again),
        h("div", { class: "board-head" }, this.counters, this.zoomers()),
        this.frame,
        this.looks,
      ),
      h("aside", { class: "card side", "aria-label": "Help" }, this.buttons, this.legend()),
    );
    this.keys = (event) => this.key(event);
    document.addEventListener("keydown", this.keys);
  }

  leave() {
    this.stop();
    document.removeEventListener("keydown", this.keys);
  }

  makeButtons() {
    this.stepButton = h("button", { class: "main", type: "button", onclick: () => this.step() }, "Do it for me");
    this.autoButton = h("button", { type: "button", "aria-pressed": "false", onclick: () => this.toggle() });
    this.undoButton = h("button", { type: "button", onclick: () => this.undo() }, icon("undo"), "Undo");
    this.hintBox = check("Show hints", true, (on) => this.setHints(on));
    this.oddsBox = check("Show mine probabilities", false, (on) => this.setOdds(on));
    this.flagBox = check("Clicks set flags", false, (on) => {
      this.flagging = on;
    });
    this.drawAuto();
    return h(
      "div",
      { class: "buttons" },
      this.stepButton,
      h("div", { class: "pair" }, this.autoButton, this.undoButton),
      this.speed.element,
      this.hintBox,
      this.oddsBox,
      this.flagBox,
    );
  }

  legend() {
    const line = (sample, text) => h("li", {}, h("span", { class: `cell sample ${sample[0]}` }, sample[1]), text);
    return h(
      "details",
      { class: "legend", open: matchMedia("(min-width: 60rem)").matches },
      h("summary", {}, "What the signs mean"),
      h(
        "ul",
        {},
        line(["covered hint", "H"], "certainly safe"),
        line(["covered hint", "CG"], "calculated guess"),
        line(["covered hint", "R"], "random"),
        line(["covered flag-here", ""], "certainly a mine: flag it"),
        line(["open c2 proves", "2"], "a clue that proves the cell you point at"),
      ),
      h(
        "p",
        { class: "small muted" },
        "Click opens, right click or long press flags, middle or double click on a clue opens around it. " +
          "Keys: arrows, Space, F flag, C chord, H hints, P probabilities, N do it, U undo.",
      ),
    );
  }

  zoomers() {
    const zoom = (words, sign, factor) =>
      h("button", { type: "button", class: "tiny", "aria-label": words, onclick: () => this.board?.enlarge(factor) }, sign);
    return h("span", { class: "zoom" }, zoom("Smaller cells", "−", 0.8), zoom("Larger cells", "+", 1.25));
  }

  async begin(wish) {
    this.stop();
    await this.attempt(async () => {
      this.wish = wish;
      const state = await call("/api/games", wish);
      this.board = new Board({
        rows: state.rows,
        cols: state.cols,
        label: `Minefield, ${state.rows} rows, ${state.cols} columns`,
        act: (verb, cell) => this.act(verb, cell),
        inspect: (cell) => this.inspect(cell),
      });
      this.frame.replaceChildren(this.board.element);
      this.board.fit();
      this.state = null;
      await this.take(state);
    });
  }

  // One request at a time; what goes wrong is said, and stops autoplay.
  async attempt(work) {
    if (this.busy) return;
    this.busy = true;
    this.element.classList.add("busy");
    try {
      await work();
    } catch (error) {
      this.stop();
      this.say.textContent = error.message;
      this.say.className = "say trouble";
      if (error.status === 404) this.offerAgain();
    } finally {
      this.busy = false;
      this.element.classList.remove("busy");
    }
  }

  async take(state) {
    const before = this.state?.shown;
    this.state = state;
    this.hint = null;
    this.odds = null;
    this.fresh = new Set();
    if (before) for (let i = 0; i < before.length; i += 1) if (before[i] !== state.shown[i]) this.fresh.add(i);
    this.draw();
    if (state.over) this.stop();
    else await this.ask();
  }

  async ask() {
    const path = `/api/games/${this.state.id}`;
    if (this.showHints && !this.hint) {
      this.turn = await call(`${path}/hint`, {});
      this.hint = asHint(this.turn);
      this.draw();
    }
    if (this.showOdds && !this.odds) {
      const found = await call(`${path}/odds`, {});
      this.odds = expand(found.percent);
      this.status = found.status;
      this.draw();
    }
  }

  act(verb, cell) {
    if (!this.state || this.state.over || this.playing) return;
    const mark = this.state.shown[cell];
    let action = verb;
    if (verb === "open" && this.hint?.flags.has(cell) && this.showHints) action = "flag";
    else if (verb === "open" && mark === "F" && this.hint?.unflags.has(cell)) action = "flag";
    else if (verb === "open" && this.flagging && (mark === "." || mark === "F")) action = "flag";
    else if (verb === "open" && mark !== ".") return;
    if (action === "flag" && mark !== "." && mark !== "F") return;
    if (action === "chord" && !this.canChord(cell)) return;
    this.attempt(async () => this.take(await call(`/api/games/${this.state.id}/moves`, { action, cell })));
  }

  // Whether as many neighbours are flagged or gone off as the clue says, and some are still covered.
  canChord(cell) {
    const { rows, cols, shown } = this.state;
    let known = 0;
    let covered = 0;
    for (let r = Math.floor(cell / cols) - 1; r <= Math.floor(cell / cols) + 1; r += 1) {
      for (let c = (cell % cols) - 1; c <= (cell % cols) + 1; c += 1) {
        if (r < 0 || r >= rows || c < 0 || c >= cols) continue;
        const mark = shown[r * cols + c];
        if (mark === "F" || mark === "*") known += 1;
        if (mark === ".") covered += 1;
      }
    }
    return covered > 0 && String(known) === shown[cell];
  }

  step() {
    if (!this.state || this.state.over) return Promise.resolve();
    return this.attempt(async () => this.take(await call(`/api/games/${this.state.id}/step`, {})));
  }

  undo() {
    this.stop();
    if (!this.state?.turns) return;
    this.attempt(async () => this.take(await call(`/api/games/${this.state.id}/undo`, {})));
  }

  async toggle() {
    if (this.playing) {
      this.stop();
      return;
    }
    this.playing = true;
    this.drawAuto();
    while (this.playing && this.state && !this.state.over) {
      await this.step();
      await new Promise((wake) => setTimeout(wake, this.speed.delay()));
    }
    this.stop();
  }

  stop() {
    this.playing = false;
    this.drawAuto();
  }

  setHints(on) {
    this.showHints = on;
    if (!on) this.hint = null;
    this.draw();
    if (this.state && !this.state.over) this.attempt(() => this.ask());
  }

  setOdds(on) {
    this.showOdds = on;
    if (!on) this.odds = null;
    this.draw();
    if (this.state && !this.state.over) this.attempt(() => this.ask());
  }

  inspect(cell) {
    const proof = (i) => (i === null ? undefined : this.hint?.evidence[i]);
    const redraw = proof(cell) || proof(this.inspected);
    this.inspected = cell;
    if (redraw) this.draw();
    else this.drawLooks();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input[type=number], select")) return;
    const flip = (label) => label.querySelector("input").click();
    const deed = {
      h: () => flip(this.hintBox),
      p: () => flip(this.oddsBox),
      n: () => this.step(),
      u: () => this.undo(),
    }[event.key.toLowerCase()];
    if (deed) {
      event.preventDefault();
      deed();
    }
  }

  draw() {
    const { state } = this;
    if (!state) return;
    const proves = new Set(this.inspected === null ? [] : (this.hint?.evidence[this.inspected] ?? []));
    this.board.draw({ ...state, hint: this.hint, odds: this.odds, proves, fresh: this.fresh });
    const pairs = [
      ["Mines left", state.left],
      ["Turns", state.turns],
      ["Seed", state.number ? `${state.seed} / ${state.number}` : state.seed],
    ];
    this.counters.replaceChildren(...pairs.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, String(value)))));
    this.undoButton.disabled = !state.turns;
    this.stepButton.disabled = this.autoButton.disabled = state.over;
    this.drawSay();
    this.drawLooks();
  }

  drawSay() {
    const { state } = this;
    let text = `Open a cell, or let ${state.agent} do it.`;
    this.say.className = "say";
    if (state.over) {
      text = ending(state.result, state.result.scores, state.rules);
      this.say.className = `say end ${state.result.won ? "won" : ""}`;
    } else if (this.showHints) {
      text = this.hint ? advice(this.turn, state.agent) : `${state.agent} is thinking …`;
    }
    const tag = !state.over && this.hint && this.hint.opens.size ? TAGS[this.turn.why] : "";
    const title = { title: REASONS[this.turn?.why] };
    const signature = `${tag}|${text}`;
    if (signature === this.said) return; // so that a reader does not say it again
    this.said = signature;
    if (state.over) this.offerAgain();
    else this.again.replaceChildren();
    this.say.replaceChildren(...(tag ? [h("b", { class: "tag", ...title }, tag), " "] : []), text);
  }

  drawLooks() {
    const cell = this.inspected;
    if (cell === null || !this.state) {
      this.looks.textContent = this.status === "approximate" && this.odds ? "The probabilities are estimates here." : " ";
      return;
    }
    const chance = this.odds?.[cell];
    const clues = this.hint?.evidence[cell]?.length ?? 0;
    this.looks.textContent =
      place(cell, this.state.cols) +
      (chance === null || chance === undefined ? "" : `: a mine with ${percent(chance)}`) +
      (clues ? `; proved by ${count(clues, "outlined clue")}` : "");
  }

  drawAuto() {
    this.autoButton.replaceChildren(icon(this.playing ? "pause" : "play"), this.playing ? "Pause" : "Autoplay");
    this.autoButton.setAttribute("aria-pressed", String(this.playing));
  }

  offerAgain() {
    const again = (words, wish) => h("button", { type: "button", onclick: () => this.begin(wish) }, words);
    const fresh = this.setup.wish();
    const same = { ...this.wish, seed: this.state?.seed, number: this.state?.number };
    this.again.replaceChildren(again("New game", fresh), ...(this.state ? [again("Same board again", same)] : []));
  }
}
