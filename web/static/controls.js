// The buttons and switches beside a game.

import { check, h, icon } from "./dom.js";
import { speed } from "./speed.js";

export class Controls {
  // `table` has step, toggle, undo and change, the last for when a switch was moved.
  constructor(table) {
    this.hints = true;
    this.odds = false;
    this.flagging = false;
    this.speed = speed();
    this.stepButton = h("button", { class: "main", type: "button", onclick: () => table.step() }, "Do it for me");
    this.autoButton = h("button", { type: "button", onclick: () => table.toggle() });
    this.undoButton = h("button", { type: "button", onclick: () => table.undo() }, icon("undo"), "Undo");
    const flipped = (name) => (on) => {
      this[name] = on;
      table.change();
    };
    this.boxes = {
      hints: check("Show hints", true, flipped("hints")),
      odds: check("Show mine probabilities", false, flipped("odds")),
      flagging: check("Clicks set flags", false, flipped("flagging")),
    };
    const zoom = (words, sign, factor) =>
      h("button", { type: "button", class: "tiny", "aria-label": words, onclick: () => table.board?.enlarge(factor) }, sign);
    this.zoom = h("span", { class: "zoom" }, zoom("Smaller cells", "−", 0.8), zoom("Larger cells", "+", 1.25));
    this.element = h(
      "div",
      { class: "buttons" },
      this.stepButton,
      h("div", { class: "pair" }, this.autoButton, this.undoButton),
      this.speed.element,
      Object.values(this.boxes),
    );
    this.play(false);
  }

  // Milliseconds between two turns of the autoplay.
  delay() {
    return this.speed.delay();
  }

  flip(name) {
    this.boxes[name].querySelector("input").click();
  }

  play(playing) {
    this.autoButton.replaceChildren(icon(playing ? "pause" : "play"), playing ? "Pause" : "Autoplay");
    this.autoButton.setAttribute("aria-pressed", String(playing));
  }

  allow(state) {
    this.undoButton.disabled = !state.turns;
    this.stepButton.disabled = this.autoButton.disabled = state.over;
  }
}
