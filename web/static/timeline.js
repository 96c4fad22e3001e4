// Back, forward, play, and a slider over the turns of a game; and the keys for them.

import { h, icon } from "./dom.js";
import { speed } from "./speed.js";

export class Timeline {
  // `show(turn, chosen)` is called whenever the turn changes; `chosen` is false if only the game has become known.
  constructor(show) {
    this.show = show;
    this.length = 0;
    this.at = 0;
    this.playing = false;
    this.speed = speed();
    // A click of the mouse does not move the focus, so that the keys of the page go on working.
    const onmousedown = (event) => event.preventDefault();
    const button = (name, label, act) => h("button", { type: "button", "aria-label": label, title: label, onclick: act, onmousedown }, icon(name));
    this.playButton = button("play", "Play", () => this.toggle());
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: 0,
      value: 0,
      class: "slider",
      "aria-label": "Turn",
      oninput: () => this.go(Number(this.slider.value)),
    });
    this.turnCount = h("output", { class: "turn-count" });
    this.element = h(
      "div",
      { class: "timeline", role: "group", "aria-label": "Timeline" },
      h(
        "div",
        { class: "steps" },
        button("first", "To the start", () => this.go(0)),
        button("back", "Back", () => this.go(this.at - 1)),
        this.playButton,
        button("forward", "Forward", () => this.go(this.at + 1)),
        button("last", "To the end", () => this.go(this.length)),
      ),
      this.turnCount,
      this.slider,
      this.speed.element,
    );
  }

  reset(length, at) {
    this.stop();
    this.length = length;
    this.slider.max = length;
    this.go(at, true, false);
  }

  // The game has become known in full, or another one has: the turn stays.
  setLength(length) {
    if (length === this.length) return;
    this.length = length;
    this.slider.max = length;
  }

  // The keys of the page: arrows, Space, Home and End. Elements that use a key themselves keep it.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest?.("select, textarea, input:not([type=range]):not([type=checkbox]), [role=grid]")) return;
    if (event.key === " " && event.target.closest?.("button, a, summary, input[type=checkbox]")) return;
    const action = {
      ArrowLeft: () => this.go(this.at - 1),
      ArrowRight: () => this.go(this.at + 1),
      Home: () => this.go(0),
      End: () => this.go(this.length),
      " ": () => this.toggle(),
    }[event.key];
    if (!action || (event.target.closest?.("input[type=range]") && event.key !== " ")) return;
    event.preventDefault();
    action();
  }

  // Go to a turn. It stops the automatic play unless `playing`.
  go(at, playing = false, chosen = true) {
    if (!playing) this.stop();
    this.at = Math.max(0, Math.min(this.length, at));
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", `turn ${this.at} of ${this.length}`);
    this.turnCount.textContent = `Turn ${this.at} of ${this.length}`;
    return this.show(this.at, chosen);
  }

  async toggle() {
    if (this.playing) {
      this.stop();
      return;
    }
    this.setPlaying(true);
    if (this.at === this.length) this.go(0, true);
    while (this.playing && this.at < this.length) {
      await new Promise((wake) => setTimeout(wake, this.speed.delay()));
      if (this.playing) await this.go(this.at + 1, true);
    }
    this.stop();
  }

  stop() {
    this.setPlaying(false);
  }

  setPlaying(playing) {
    this.playing = playing;
    const label = playing ? "Pause" : "Play";
    this.playButton.setAttribute("aria-label", label);
    this.playButton.title = label;
    this.playButton.replaceChildren(icon(playing ? "pause" : "play"));
  }
}
