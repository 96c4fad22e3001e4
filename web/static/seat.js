// One agent's side of the Watch page: its board, the reason of its next turn, and the turns around it.

import { Board } from "./board.js";
import { h } from "./dom.js";
import { REASONS, TAGS, count, deed, ending, number, percent } from "./words.js";

const AROUND = 4;

export class Seat {
  // `go(turn)` is called when somebody picks a turn from the list.
  constructor(replay, rules, go) {
    this.replay = replay;
    this.rules = rules;
    this.go = go;
    this.inspected = null;
    const { data } = replay;
    this.board = new Board({
      rows: data.rows,
      cols: data.cols,
      label: `${data.agent}, board ${data.number}`,
      inspect: (cell) => this.inspect(cell),
    });
    const main = Object.entries(data.scores)[0];
    this.reason = h("p", { class: "reason", "aria-live": "polite" });
    this.turns = h("ol", { class: "turns" });
    this.strip = h("div", { class: "strip", "aria-hidden": "true" }, replay.strip().map((kind) => h("i", { class: kind })));
    this.element = h(
      "section",
      { class: "seat card", "aria-label": data.agent },
      h(
        "header",
        { class: "seat-head" },
        h("h2", {}, data.agent),
        main ? h("span", { class: "muted" }, `${main[0]} ${number(main[1], 2)}`) : null,
        h("span", { class: "muted" }, `${data.result.won ? "won" : data.result.ending}, ${count(data.turns.length, "turn")}`),
      ),
      this.strip,
      data.note ? h("p", { class: "small muted" }, data.note) : null,
      this.reason,
      this.board.element,
      this.turns,
    );
  }

  inspect(cell) {
    const evidence = this.replay.next(this.at)?.evidence ?? {};
    const redraw = evidence[cell] || evidence[this.inspected];
    this.inspected = cell;
    if (redraw) this.draw(this.at, this.showOdds);
  }

  draw(t, showOdds) {
    this.at = Math.min(t, this.replay.length);
    this.showOdds = showOdds;
    this.board.draw(this.replay.scene(this.at, { showOdds, inspected: this.inspected }));
    this.strip.querySelector(".now")?.classList.remove("now");
    this.strip.children[Math.min(this.at, this.replay.length - 1)]?.classList.add("now");
    this.drawReason();
    this.drawTurns();
  }

  drawReason() {
    const turn = this.replay.next(this.at);
    const { data } = this.replay;
    if (!turn) {
      this.reason.replaceChildren(ending(data.result, data.scores, this.rules));
      return;
    }
    const proofs = Object.keys(turn.evidence).length;
    const exact = this.showOdds ? this.replay.risk(this.at) : undefined;
    const byRule = this.replay.firstClickSafe.has(this.at) ? ", the first click is safe by the rules" : "";
    const parts = [
      `${REASONS[turn.why]}: ${deed(turn)}`,
      turn.probability === null ? "" : `says ${percent(100 * turn.probability)} mine`,
      exact === undefined || turn.why === "proof" ? "" : `exactly ${percent(exact)}${byRule}`,
      proofs ? "point at a cell for its clues" : "",
      turn.fallback ? "too hard for it: decided by a weaker reasoning" : "",
    ];
    this.reason.replaceChildren(
      h("b", { class: "tag" }, TAGS[turn.why]),
      ` Next, turn ${this.at + 1}. ${parts.filter(Boolean).join("; ")}.`,
    );
  }

  drawTurns() {
    const { turns } = this.replay.data;
    const first = Math.max(0, Math.min(this.at - AROUND, turns.length - 2 * AROUND - 1));
    const items = turns.slice(first, first + 2 * AROUND + 1).map((turn, k) => {
      const t = first + k;
      const boom = turn.to.includes("*") ? ", a mine goes off" : "";
      const chance = turn.probability === null ? "" : ` (${percent(100 * turn.probability)})`;
      return h(
        "li",
        {},
        h(
          "button",
          {
            type: "button",
            class: `turn ${boom ? "boom" : ""}`,
            "aria-current": t === this.at ? "step" : null,
            onclick: () => this.go(t),
          },
          h("span", { class: "turn-number" }, String(t + 1)),
          h("b", { class: "tag" }, TAGS[turn.why]),
          `${deed(turn)}${chance}${boom}`,
        ),
      );
    });
    this.turns.replaceChildren(...items);
  }
}
