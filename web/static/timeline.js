// Back, forward, play, and a slider over the turns of a game.

import { h, icon } from "./dom.js";
import { speed } from "./speed.js";

export class Timeline {
  // `show(turn)` is called whenever the turn changes.
  constructor(show) {
    this.show = show;
    this.length = 0;
    this.at = 0;
    this.playing = false;
    this.speed = speed();
    const button = (name, label, act) => h("button", { type: "button", "aria-label": label, title: label, onclick: act }, icon(name));
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
        this.turnCount,
        this.speed.element,
      ),
      this.slider,
    );
  }

  reset(length, at) {
    this.stop();
    this.length = length;
    this.slider.max = length;
    this.go(at, true);
  }

  // Go to a turn. It stops the automatic play unless `playing`.
  go(at, playing = false) {
    if (!playing) this.stop();
    this.at = Math.max(0, Math.min(this.length, at));
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", `turn ${this.at} of ${this.length}`);
    this.turnCount.textContent = `Turn ${this.at} of ${this.length}`;
    return this.show(this.at);
  }

  async toggle() {
    if (this.playing) {
      this.stop();
      return;
    }
    if (this.at === this.length) this.at = 0;
    this.setPlaying(true);
    while (this.playing && this.at < this.length) {
      await this.go(this.at + 1, true);
      await new Promise((wake) => setTimeout(wake, this.speed.delay()));
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
