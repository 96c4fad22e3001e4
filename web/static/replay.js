// A stored game: the position after any number of turns, and what comes next.

import { asHint, expand } from "./cell_view.js";
import { odds } from "./source.js";

export class Replay {
  constructor(key, data) {
    this.key = key;
    this.data = data;
    this.odds = new Map();
    this.firstClickSafe = new Set(); // the positions in which the rules keep mines away from the first click
    this.positions = [data.start];
    for (const turn of data.turns) {
      const marks = [...this.positions.at(-1)];
      turn.at.forEach((cell, k) => {
        marks[cell] = turn.to[k];
      });
      this.positions.push(marks.join(""));
    }
  }

  get length() {
    return this.data.turns.length;
  }

  // The turn that follows position `t`; undefined at the end.
  next(t) {
    return this.data.turns[t];
  }

  // What the board draws at position `t`: what is known, and where the agent goes next.
  scene(t, { showOdds, inspected }) {
    const at = Math.min(t, this.length);
    const over = at === this.length;
    const hint = over ? null : asHint(this.next(at));
    const { rows, cols, layout, turns } = this.data;
    return {
      rows,
      cols,
      shown: this.positions[at],
      layout: over ? layout : undefined,
      hint,
      odds: showOdds && !over ? this.odds.get(at) : undefined,
      proves: new Set(inspected === null ? [] : (hint?.evidence[inspected] ?? [])),
      fresh: new Set(at ? turns[at - 1].at : []),
    };
  }

  // Fetch the probabilities of position `t`, once.
  async weigh(t) {
    const at = Math.min(t, this.length);
    if (this.odds.has(at)) return;
    const found = await odds(...this.key, at);
    if (found.first_click_safe) this.firstClickSafe.add(at);
    this.odds.set(at, expand(found.percent));
  }

  // How likely a mine the cells of the next turn are, in percent: the largest of them; undefined if not known.
  risk(t) {
    const known = this.odds.get(t);
    const cells = this.next(t)?.open ?? [];
    return known && cells.length ? Math.max(...cells.map((cell) => known[cell] ?? 0)) : undefined;
  }

  // The marks of a timeline, one for each turn.
  strip() {
    return this.data.turns.map((turn) => (turn.to.includes("*") ? "boom" : turn.why));
  }
}
