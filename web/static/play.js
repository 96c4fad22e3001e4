// Play: a game of one's own, with an agent at one's side.

import { Board } from "./board.js";
import { Controls } from "./controls.js";
import { h } from "./dom.js";
import { asHint, expand } from "./cell_view.js";
import { legend } from "./legend.js";
import { canChord } from "./position.js";
import { setup } from "./setup.js";
import { call } from "./source.js";
import { REASONS, TAGS, advice, count, doubts, ending, percent, place } from "./words.js";

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
    this.say = h("p", { class: "say", role: "status", "aria-live": "polite" });
    this.looks = h("p", { class: "looks small muted" });
    this.counters = h("dl", { class: "counters" });
    this.frame = h("div", { class: "frame" });
    this.again = h("div", { class: "again" });
    this.controls = new Controls(this);
    this.element = h(
      "div",
      { class: "table" },
      h("h1", { class: "sr-only" }, "Play"),
      this.setup.form,
      h(
        "div",
        { class: "table-main" },
        h("div", { class: "say-line" }, this.say, this.again),
        h("div", { class: "board-head" }, this.counters, this.controls.zoom),
        this.frame,
        this.looks,
      ),
      h("aside", { class: "card side", "aria-label": "Help" }, this.controls.element, legend()),
    );
    this.keys = (event) => this.key(event);
    document.addEventListener("keydown", this.keys);
  }

  leave() {
    this.stop();
    document.removeEventListener("keydown", this.keys);
  }

  async begin(wish) {
    this.stop();
    const work = async () => {
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
    };
    await this.attempt(work, () => this.begin(wish));
  }

  // One request at a time; what goes wrong is said, and stops autoplay. Whatever comes in the meantime may wait as
  // `again`, of which only the last is kept.
  async attempt(work, again) {
    if (this.busy) {
      this.waiting = again;
      return;
    }
    this.busy = true;
    this.element.classList.add("busy");
    try {
      await work();
    } catch (error) {
      this.stop();
      this.say.textContent = error.message;
      this.say.className = "say trouble";
      this.said = null;
      if (error.status === 404) this.offerAgain();
    } finally {
      this.busy = false;
      this.element.classList.remove("busy");
      const next = this.waiting;
      this.waiting = null;
      next?.();
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
    if (this.controls.hints && !this.hint) {
      this.turn = await call(`${path}/hint`, {});
      this.hint = asHint(this.turn);
      this.draw();
    }
    if (this.controls.odds && !this.odds) {
      const found = await call(`${path}/odds`, {});
      this.odds = expand(found.percent);
      this.status = found.status;
      this.firstClickSafe = found.first_click_safe;
      this.draw();
    }
  }

  // Ask for what has just been switched on.
  inquire() {
    if (this.state && !this.state.over) this.attempt(() => this.ask(), () => this.inquire());
  }

  act(verb, cell) {
    if (!this.state || this.state.over || this.playing) return;
    const mark = this.state.shown[cell];
    let action = verb;
    if (verb === "open" && this.hint?.flags.has(cell) && this.controls.hints) action = "flag";
    else if (verb === "open" && mark === "F" && (this.hint?.unflags.has(cell) || this.hint?.wrong.has(cell))) action = "flag";
    else if (verb === "open" && this.controls.flagging && (mark === "." || mark === "F")) action = "flag";
    else if (verb === "open" && mark !== ".") return;
    if (action === "flag" && mark !== "." && mark !== "F") return;
    if (action === "chord" && !canChord(this.state, cell)) return;
    this.attempt(
      async () => this.take(await call(`/api/games/${this.state.id}/moves`, { action, cell })),
      () => this.act(verb, cell),
    );
  }

  step() {
    if (!this.state || this.state.over) return Promise.resolve();
    return this.attempt(async () => {
      const state = await call(`/api/games/${this.state.id}/step`, {});
      const { open, flag, unflag } = state.turn;
      if (!open.length && !flag.length && !unflag.length) this.stop(); // the agent gives up, the game goes on
      await this.take(state);
    });
  }

  undo() {
    this.stop();
    if (!this.state?.turns) return;
    this.attempt(
      async () => this.take(await call(`/api/games/${this.state.id}/undo`, {})),
      () => this.undo(),
    );
  }

  async toggle() {
    if (this.playing) {
      this.stop();
      return;
    }
    this.playing = true;
    this.controls.play(this.playing);
    while (this.playing && this.state && !this.state.over) {
      await this.step();
      await new Promise((wake) => setTimeout(wake, this.controls.delay()));
    }
    this.stop();
  }

  stop() {
    this.playing = false;
    this.controls.play(this.playing);
  }

  // What is shown has been switched on or off.
  change() {
    if (!this.controls.hints) this.hint = null;
    if (!this.controls.odds) this.odds = null;
    this.draw();
    this.inquire();
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
    const deed = {
      h: () => this.controls.flip("hints"),
      p: () => this.controls.flip("odds"),
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
    this.controls.allow(state);
    this.drawSay();
    this.drawLooks();
  }

  drawSay() {
    const { state } = this;
    let text = `Open a cell, or let ${state.agent} do it.`;
    let warning = "";
    this.say.className = "say";
    if (state.over) {
      text = ending(state.result, state.result.scores, state.rules);
      this.say.className = `say end ${state.result.won ? "won" : ""}`;
    } else if (this.controls.hints) {
      text = this.hint ? advice(this.turn, state.agent) : `${state.agent} is thinking …`;
      if (this.hint) warning = doubts(this.turn.flags, state.cols);
    }
    const tag = !state.over && this.hint && this.hint.opens.size ? TAGS[this.turn.why] : "";
    const title = { title: REASONS[this.turn?.why] };
    const signature = `${warning}|${tag}|${text}`;
    if (signature === this.said) return; // so that a reader does not say it again
    this.said = signature;
    if (state.over) this.offerAgain();
    else this.again.replaceChildren();
    this.say.replaceChildren(
      ...(warning ? [h("span", { class: "doubt" }, warning), " "] : []),
      ...(tag ? [h("b", { class: "tag", ...title }, tag), " "] : []),
      text,
    );
  }

  drawLooks() {
    const cell = this.inspected;
    if (cell === null || !this.state) {
      const estimates = this.status === "approximate" ? "The probabilities are estimates here." : " ";
      const words = this.firstClickSafe ? "The first click is safe by the rules, wherever it is." : estimates;
      this.looks.textContent = this.odds ? words : " ";
      return;
    }
    const chance = this.odds?.[cell];
    const clues = this.hint?.evidence[cell]?.length ?? 0;
    this.looks.textContent =
      place(cell, this.state.cols) +
      (chance === null || chance === undefined ? "" : `: a mine with ${percent(chance)}`) +
      (chance === 0 && this.firstClickSafe ? ", the first click is safe by the rules" : "") +
      (clues ? `; proved by ${count(clues, "outlined clue")}` : "");
  }

  offerAgain() {
    const again = (words, wish) => h("button", { type: "button", onclick: () => this.begin(wish) }, words);
    const fresh = this.setup.wish();
    const same = { ...this.wish, seed: this.state?.seed, number: this.state?.number };
    this.again.replaceChildren(again("New game", fresh), ...(this.state ? [again("Same board again", same)] : []));
  }
}
