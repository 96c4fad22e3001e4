// A stored game: the position after any number of turns, and the turn that follows.

import { fetchReplayOdds } from "./api.js";
import { asHint, expandRuns } from "./cell_view.js";

export class Replay {
  // `key` is [condition, agent, number], `data` the answer of the server.
  constructor(key, data) {
    this.key = key;
    this.data = data;
    this.odds = new Map();
    this.firstClickSafe = new Set(); // the positions in which the rules keep mines away from the first click
    this.positions = [data.start];
    for (const turn of data.turns) {
      const codes = [...this.positions.at(-1)];
      turn.at.forEach((cell, k) => {
        codes[cell] = turn.to[k];
      });
      this.positions.push(codes.join(""));
    }
  }

  get length() {
    return this.data.turns.length;
  }

  // The turn that follows position `t`; undefined at the end.
  next(t) {
    return this.data.turns[t];
  }

  // Position `t` as `Board.draw` takes it, with the next turn as the hint.
  boardAt(t, { showOdds, inspected }) {
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
      proves: new Set(inspected === null ? (this.missed(at)?.clues ?? []) : (hint?.evidence[inspected] ?? [])),
      missed: this.missed(at)?.best,
      changed: new Set(at ? turns[at - 1].at : []),
    };
  }

  // Fetch the probabilities of position `t`, once.
  async loadOdds(t) {
    const at = Math.min(t, this.length);
    if (this.odds.has(at)) return;
    const odds = await fetchReplayOdds(...this.key, at);
    if (odds.first_click_safe) this.firstClickSafe.add(at);
    this.odds.set(at, expandRuns(odds.percent));
  }

  // The largest mine probability of the cells that the next turn opens, in percent; undefined if it is not known.
  risk(t) {
    const odds = this.odds.get(t);
    const cells = this.next(t)?.open ?? [];
    return odds && cells.length ? Math.max(...cells.map((cell) => odds[cell] ?? 0)) : undefined;
  }

  // The mistake of the next turn that has a better cell to show; undefined if there is none.
  missed(t) {
    return this.mistakes(t).find((mistake) => mistake.best !== null);
  }

  // The mistakes of the turn that follows position `t`.
  mistakes(t) {
    return this.data.review?.turns[t]?.mistakes ?? [];
  }

  // For each turn its reason, the class of its mistake, or "detonated" if it set off a mine by bad luck alone: the
  // colours of the strip above the board.
  turnKinds() {
    return this.data.turns.map((turn, t) => {
      const mistake = this.mistakes(t).length ? this.data.review.turns[t].label.replaceAll(" ", "-") : null;
      return mistake ?? (turn.to.includes("*") ? "detonated" : turn.why);
    });
  }
}
