// Back, forward, play, and a slider over the turns of a game.

import { h, icon } from "./dom.js";
import { speed } from "./speed.js";

export class Timeline {
  // `show(turn)` is called whenever the place changes.
  constructor(show) {
    this.show = show;
    this.length = 0;
    this.at = 0;
    this.playing = false;
    this.speed = speed();
    const button = (name, words, act) => h("button", { type: "button", "aria-label": words, title: words, onclick: act }, icon(name));
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
    this.place = h("output", { class: "place" });
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
        this.place,
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

  // Being moved by hand stops the play.
  go(at, playing = false) {
    if (!playing) this.stop();
    this.at = Math.max(0, Math.min(this.length, at));
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", `turn ${this.at} of ${this.length}`);
    this.place.textContent = `Turn ${this.at} of ${this.length}`;
    return this.show(this.at);
  }

  async toggle() {
    if (this.playing) {
      this.stop();
      return;
    }
    if (this.at === this.length) this.at = 0;
    this.mark(true);
    while (this.playing && this.at < this.length) {
      await this.go(this.at + 1, true);
      await new Promise((wake) => setTimeout(wake, this.speed.delay()));
    }
    this.stop();
  }

  stop() {
    this.mark(false);
  }

  mark(playing) {
    this.playing = playing;
    const words = playing ? "Pause" : "Play";
    this.playButton.setAttribute("aria-label", words);
    this.playButton.title = words;
    this.playButton.replaceChildren(icon(playing ? "pause" : "play"));
  }
}
