// A stored game: the position after any number of turns, and the turn that follows.

import { fetchReplayOdds, hasEngine } from "./api.js";
import { expandRuns, frontierOf } from "./cell_view.js";
import { engineFor } from "./engine_source.js";
import { asHint } from "./hints.js";
import { percentages } from "./solving.js";

export class Replay {
  // `key` is [condition, agent, number], `data` the answer of the server, `condition` has the rules and the noise.
  constructor(key, data, condition = {}) {
    this.key = key;
    this.condition = condition;
    this.data = data;
    this.odds = new Map(); // by position: {percent, frontier, background}
    this.firstClickSafe = new Set(); // the positions in which the rules keep mines away from the first click
    this.cached = { at: 0, shown: [...data.start] };
  }

  get length() {
    return this.data.turns.length;
  }

  // The turn that follows position `t`; undefined at the end.
  next(t) {
    return this.data.turns[t];
  }

  // Position `t`, one character for each cell. The array is used again by the next call.
  positionAt(t) {
    if (t < this.cached.at) this.cached = { at: 0, shown: [...this.data.start] };
    const { shown } = this.cached;
    for (const turn of this.data.turns.slice(this.cached.at, t)) {
      turn.at.forEach((cell, k) => {
        shown[cell] = turn.to[k];
      });
    }
    this.cached.at = t;
    return shown;
  }

  // Position `t` as `Board.draw` takes it, with the next turn as the hint.
  boardAt(t, { showOdds, inspected }) {
    const at = Math.min(t, this.length);
    const over = at === this.length;
    const hint = over ? null : asHint(this.next(at));
    const { rows, cols, layout, turns, lies } = this.data;
    const shown = this.positionAt(at);
    const odds = showOdds && !over ? this.odds.get(at) : undefined;
    return {
      rows,
      cols,
      shown,
      lies: Object.fromEntries(Object.entries(lies ?? {}).filter(([cell]) => /[0-8?]/.test(shown[cell]))),
      layout: over ? layout : undefined,
      hint,
      odds: odds?.percent,
      frontier: odds?.frontier,
      background: odds?.background,
      proves: new Set(inspected === null ? (this.missed(at)?.clues ?? []) : (hint?.evidence[inspected] ?? [])),
      missed: this.missed(at)?.best,
      changed: new Set(at ? turns[at - 1].at : []),
    };
  }

  // The cells of the turn that follows position `t`; at the end, those of the last turn.
  actingCells(t) {
    const turn = this.next(t);
    const cells = this.data.rows * this.data.cols; // an illegal turn may name a cell outside the board
    if (turn) return [...turn.open, ...turn.flag, ...turn.unflag].filter((cell) => cell >= 0 && cell < cells);
    return this.data.turns.at(-1)?.at ?? [];
  }

  // Fetch the probabilities of position `t`, once.
  async loadOdds(t) {
    const at = Math.min(t, this.length);
    if (this.odds.has(at)) return;
    const { rows, cols } = this.data;
    const { percent, firstClickSafe } = hasEngine ? await this.solve(at) : await this.storedOdds(at);
    if (firstClickSafe) this.firstClickSafe.add(at);
    this.odds.set(at, { percent, ...frontierOf({ rows, cols, shown: this.positionAt(at) }, percent) });
  }

  // The engine ignores flags: a weak agent may have set a wrong one.
  async solve(at) {
    const { rows, cols, mines } = this.data;
    const { rules, noise } = this.condition;
    const engine = await engineFor(noise);
    const shown = this.positionAt(at).join("");
    const found = engine.solve({ rows, cols, mines, shown, noise, first_click: rules?.first_click, start: rules?.start ?? null }, false);
    return { percent: percentages(found), firstClickSafe: found.firstClickSafe };
  }

  // A site without the engine has them in its data.
  async storedOdds(at) {
    const odds = await fetchReplayOdds(...this.key, at);
    return { percent: expandRuns(odds.percent), firstClickSafe: odds.first_click_safe };
  }

  // The largest mine probability of the cells that the next turn opens, in percent; undefined if it is not known.
  risk(t) {
    const odds = this.odds.get(t)?.percent;
    const cells = this.next(t)?.open ?? [];
    return odds && cells.length ? Math.max(...cells.map((cell) => odds[cell] ?? 0)) : undefined;
  }

  // The mistake of the next turn that has a better cell to show; undefined if there is no such mistake.
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
      const why = this.data.review?.turns[t]?.certain ? "proof" : turn.why; // of a person's game
      return mistake ?? (turn.to.includes("*") ? "detonated" : why);
    });
  }
}
