// The buttons and checkboxes of a game.

import { checkbox, h, icon } from "./dom.js";
import { speed } from "./speed.js";

export class Controls {
  // `page` is the PlayPage, whose methods the buttons call.
  constructor(page) {
    this.hints = remembered("hints", false);
    this.odds = remembered("odds", false);
    this.flagging = false;
    this.speed = speed();
    this.stepButton = h("button", { class: "main", type: "button", onclick: () => page.step() }, "Do it for me");
    this.autoButton = h("button", { type: "button", onclick: () => page.toggle() });
    this.undoButton = h("button", { type: "button", onclick: () => page.undo() }, icon("undo"), "Undo");
    const switched = (name) => (on) => {
      this[name] = on;
      remember(name, on);
      this.flagButton.setAttribute("aria-pressed", String(this.flagging));
      page.controlsChanged();
    };
    this.boxes = {
      hints: checkbox("Show hints", this.hints, switched("hints")),
      odds: checkbox("Show mine probabilities", this.odds, switched("odds")),
      flagging: checkbox("Clicks set flags", false, switched("flagging")),
    };
    const zoom = (label, sign, factor) =>
      h("button", { type: "button", class: "tiny", "aria-label": label, onclick: () => page.board?.enlarge(factor) }, sign);
    this.zoom = h("span", { class: "zoom" }, zoom("Smaller cells", "−", 0.8), zoom("Larger cells", "+", 1.25));
    this.flagButton = h("button", { type: "button", class: "flag-button", "aria-pressed": "false", onclick: () => this.flip("flagging") }, "⚑ Flag");
    // Under the thumb on a telephone.
    this.thumbBar = h(
      "div",
      { class: "thumb-bar", role: "group", "aria-label": "Under the thumb" },
      this.flagButton,
      h("button", { type: "button", onclick: () => this.flip("hints") }, "Hint"),
      h("button", { type: "button", onclick: () => page.undo() }, icon("undo"), "Undo"),
    );
    this.element = h(
      "div",
      { class: "buttons" },
      this.stepButton,
      h("div", { class: "pair" }, this.autoButton, this.undoButton),
      this.speed.element,
      Object.values(this.boxes),
    );
    this.showPlaying(false);
  }

  // Milliseconds between two turns of the autoplay.
  delay() {
    return this.speed.delay();
  }

  // Switch the checkbox `hints`, `odds` or `flagging`.
  flip(name) {
    this.boxes[name].querySelector("input").click();
  }

  showPlaying(playing) {
    this.autoButton.replaceChildren(icon(playing ? "pause" : "play"), playing ? "Pause" : "Autoplay");
    this.autoButton.setAttribute("aria-pressed", String(playing));
  }

  // Enable the buttons that the state of the game allows.
  update(state) {
    this.undoButton.disabled = !state.turns;
    this.stepButton.disabled = this.autoButton.disabled = state.over;
  }
}

// Whether a checkbox was left switched on at the last visit.
function remembered(name, fallback) {
  try {
    const value = localStorage.getItem(`sweepstakes-${name}`);
    return value === null ? fallback : value === "yes";
  } catch {
    return fallback; // the browser keeps nothing
  }
}

function remember(name, on) {
  try {
    if (name !== "flagging") localStorage.setItem(`sweepstakes-${name}`, on ? "yes" : "no");
  } catch {
    // then the next visit begins as the first
  }
}
