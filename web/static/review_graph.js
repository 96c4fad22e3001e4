// The graph of a review: the estimated chance to win along the game, with marks for mistakes and luck. Where play goes on
// after a mine, it is the chance to be still alive.

import { h, svg } from "./dom.js";
import { count, percent, signed } from "./text.js";

const WIDTH = 600;
const HEIGHT = 90;
const LUCKY = 0.05; // from this luck on, good or bad, a turn is marked

// The class of a label in the style sheet: "missed proof" is "missed-proof".
export const labelClass = (label) => label.replaceAll(" ", "-");

export class ReviewGraph {
  // `review` is the server's, `go(turn)` is called when a turn is picked.
  constructor(review, go) {
    this.review = review;
    this.length = review.turns.length;
    this.heights = review.chances ?? review.alive; // before each turn, and at the end
    this.mistakes = review.turns.flatMap((turn, t) => (turn.mistakes.length ? [t] : []));
    this.cursor = svg("line", { class: "graph-cursor", y1: 0, y2: HEIGHT });
    this.nextButton = h("button", { type: "button", class: "next-mistake", onclick: () => this.goToNext(go) }, "Next mistake");
    this.nextButton.disabled = !this.mistakes.length;
    const picture = svg(
      "svg",
      { class: "review-graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": this.summary() },
      svg("path", { class: "graph-area", d: `${this.path()}V${HEIGHT}H0Z` }),
      svg("path", { class: "graph-line", d: this.path() }),
      review.turns.flatMap((turn, t) => this.marks(turn, t)),
      this.cursor,
    );
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      go(Math.min(this.length - 1, Math.floor(((event.clientX - box.left) / box.width) * this.length)));
    });
    this.element = h(
      "div",
      { class: "game-graph" },
      h("div", { class: "review-head" }, h("span", { class: "small muted" }, this.summary()), this.nextButton),
      picture,
      h("p", { class: "small muted" }, `Green: ${review.chances ? "the chance to win, estimated for a good player" : "the chance to be still alive"}. Marks: mistakes. Ticks below: good luck (blue) and bad luck (orange).`),
    );
  }

  summary() {
    const alive = this.review.alive.at(-1);
    const luck = this.review.luck;
    const mistakes = this.mistakes.length ? `${count(this.mistakes.length, "turn")} with mistakes` : "no mistakes";
    return `${mistakes}; chance to come this far ${percent(100 * alive)}; luck ${signed(luck)}`;
  }

  x(t) {
    return (WIDTH * t) / Math.max(1, this.length);
  }

  y(alive) {
    return 4 + (HEIGHT - 8) * (1 - alive);
  }

  path() {
    return this.heights.map((chance, t) => (t ? `H${this.x(t).toFixed(1)}V${this.y(chance).toFixed(1)}` : `M0 ${this.y(chance).toFixed(1)}`)).join("");
  }

  marks(turn, t) {
    const middle = this.x(t + 0.5);
    const marks = [];
    if (Math.abs(turn.luck) >= LUCKY) {
      const size = Math.min(30, 60 * Math.abs(turn.luck));
      const kind = turn.luck > 0 ? "good-luck" : "bad-luck";
      marks.push(svg("line", { class: kind, x1: middle, x2: middle, y1: HEIGHT, y2: HEIGHT - size }, svg("title", {}, `luck ${signed(turn.luck)}`)));
    }
    if (turn.mistakes.length) {
      marks.push(
        svg(
          "rect",
          { class: `graph-mark ${labelClass(turn.label)}`, x: middle - 3, y: this.y(this.heights[t + 1]) - 5, width: 6, height: 10 },
          svg("title", {}, `turn ${t + 1}: ${turn.label}`),
        ),
      );
    }
    return marks;
  }

  // The turn `t` is shown as the next one.
  draw(t) {
    this.at = t;
    const x = this.x(Math.min(t, this.length));
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
  }

  // Go to the next turn with a mistake, after the last to the first.
  goToNext(go) {
    go(this.mistakes.find((t) => t > this.at) ?? this.mistakes[0]);
  }
}
