// One agent's half of the Watch page: its board, the reason of its next turn, and the list of turns.

import { hasEngine } from "./api.js";
import { Board } from "./board.js";
import { h } from "./dom.js";
import { analysisLink } from "./position_code.js";
import { ReviewGraph, labelClass } from "./review_graph.js";
import { REASONS, REASON_MARKS, backgroundText, cellName, count, number, percent, resultText, signed, turnText } from "./text.js";
import { Viewport } from "./viewport.js";

const TURNS_AROUND = 4;
const MAX_ANALYSED_SIDE = 100; // rows and columns

// 3BV per click of a won game; empty for others, and for games stored before clicks were counted.
export function efficiencyText({ efficiency, three_bv, clicks }) {
  if (!efficiency) return "";
  return ` 3BV ${three_bv}, ${count(clicks, "click")}, efficiency ${number(100 * efficiency, 0)}\u00a0%.`;
}

export class ReplayPanel {
  // `go(turn)` is called when a turn is picked from the list, `scrolled(viewport)` when the person scrolls the board.
  // `noise` is the spec of the clue noise.
  constructor(replay, rules, { go, scrolled, noise }) {
    this.rules = rules;
    this.noise = noise;
    this.go = go;
    this.inspected = null;
    const { data } = replay;
    this.board = new Board({
      rows: data.rows,
      cols: data.cols,
      label: `${data.agent}, board ${data.number}`,
      inspect: (cell) => this.inspect(cell),
    });
    this.viewport = new Viewport(this.board, scrolled);
    this.reason = h("p", { class: "reason", "aria-live": "polite" });
    this.background = h("p", { class: "background-odds small muted" });
    this.said = h("pre", { class: "said small", tabindex: "0", "aria-label": "What the model said", hidden: "" });
    this.turns = h("ol", { class: "turns" });
    this.verdict = h("p", { class: "verdict", "aria-live": "polite" });
    const canAnalyse = hasEngine && Math.max(data.rows, data.cols) <= MAX_ANALYSED_SIDE;
    this.analyse = canAnalyse ? h("a", { href: "#/analysis" }, "Analyse this position") : null;
    this.element = h("section", { class: "replay-panel card", "aria-label": data.agent });
    this.setReplay(replay);
  }

  // Show this replay, which may be the same game with its reasons.
  setReplay(replay) {
    this.replay = replay;
    const { data } = replay;
    const score = Object.entries(data.scores)[0];
    this.strip = h("div", { class: "turn-strip", "aria-hidden": "true" }, replay.turnKinds().map((kind) => h("i", { class: kind })));
    this.graph = data.review ? new ReviewGraph(data.review, this.go) : null;
    const ending = data.result.won ? "won" : data.result.ending;
    this.element.replaceChildren(
      h(
        "div",
        { class: "replay-panel-top" },
        h(
          "div",
          { class: "replay-panel-text" },
          h(
            "header",
            { class: "replay-panel-head" },
            h("h2", {}, data.agent),
            score ? h("span", { class: "muted" }, `${score[0]} ${number(score[1], 2)}`) : "",
            h("span", { class: "muted" }, `${ending}, ${count(data.turns.length, "turn")}`),
            this.analyse,
          ),
          this.strip,
          data.result.fault ? h("p", { class: "fault" }, h("b", {}, "Fault: "), data.result.fault) : "",
          data.note ? h("p", { class: "small muted" }, data.note) : "",
          this.reason,
          this.verdict,
        ),
        this.viewport.map,
      ),
      this.board.element,
      h("div", {}, this.background, this.graph?.element ?? "", this.said, this.turns),
    );
  }

  inspect(cell) {
    const evidence = this.replay.next(this.at)?.evidence ?? {};
    const redraw = evidence[cell] || evidence[this.inspected];
    this.inspected = cell;
    if (redraw) this.draw(this.at, this.showOdds);
  }

  // Draw the position after `turn` turns.
  draw(turn, showOdds) {
    this.at = Math.min(turn, this.replay.length);
    this.showOdds = showOdds;
    const board = this.replay.boardAt(this.at, { showOdds, inspected: this.inspected });
    this.board.draw(board);
    this.viewport.draw(board.shown, this.replay.actingCells(this.at));
    this.drawBackground(board.background);
    this.drawAnalysisLink(board.shown);
    this.strip.querySelector(".current")?.classList.remove("current");
    this.strip.children[Math.min(this.at, this.replay.length - 1)]?.classList.add("current");
    this.graph?.draw(this.at);
    this.drawReason();
    this.drawVerdict();
    this.drawSaid();
    this.drawTurns();
  }

  // What the model said in the next turn, which may be one that it did not take. It is text of a third party.
  drawSaid() {
    const text = this.replay.data.said?.[this.at] ?? "";
    this.said.hidden = text === "";
    this.said.textContent = text;
  }

  // Scroll to the cells of the next turn, if they are not visible.
  follow() {
    this.viewport.follow(this.replay.actingCells(this.at));
  }

  // The probability of the cells that are not next to a clue.
  drawBackground(percentage) {
    const known = percentage !== undefined;
    this.background.textContent = known ? backgroundText(percentage) : "\u00a0";
  }

  // The position opens in the analysis, with its mines: a replay hides none.
  drawAnalysisLink(shown) {
    if (!this.analyse) return;
    const { rows, cols, mines, layout } = this.replay.data;
    this.analyse.href = analysisLink({ rows, cols, mines, shown, noise: this.noise, layout }, this.rules);
  }

  drawReason() {
    const turn = this.replay.next(this.at);
    const { data } = this.replay;
    if (!turn) {
      this.reason.replaceChildren(resultText({ ...data.result, fault: "" }, data.scores, this.rules), efficiencyText(data.result));
      return;
    }
    const proofs = Object.keys(turn.evidence).length;
    const exact = this.showOdds ? this.replay.risk(this.at) : undefined;
    const byRule = this.replay.firstClickSafe.has(this.at) ? ", the first click is safe by the rules" : "";
    const parts = [
      data.person ? turnText(turn) : `${REASONS[turn.why].toLowerCase()}, ${turnText(turn)}`,
      turn.probability === null ? "" : `the agent says ${percent(100 * turn.probability)} mine`,
      exact === undefined || turn.why === "proof" ? "" : `exactly ${percent(exact)}${byRule}`,
      proofs ? "point at a cell for its clues" : "",
      turn.fallback ? "too hard for the agent: decided by a weaker reasoning" : "",
    ];
    const text = `Next, turn ${this.at + 1}: ${parts.filter(Boolean).join("; ")}.`;
    this.reason.replaceChildren(...(data.person ? [text] : [reasonMark(turn), ` ${text}`]));
  }

  // What the review says of the next turn.
  drawVerdict() {
    const turn = this.replay.data.review?.turns[this.at];
    const mistakes = this.replay.mistakes(this.at);
    const luck = turn && Math.abs(turn.luck) >= 0.005 ? `luck ${signed(turn.luck)}` : "";
    const texts = mistakes.map((mistake) => mistakeText(mistake, this.replay.data.cols));
    const word = this.replay.data.person && turn?.certain ? "certain" : turn?.label; // a person does not say what is proven
    const label = word ? h("b", { class: `label ${labelClass(turn.label)}` }, word) : null;
    this.verdict.replaceChildren(...[label, ` ${[...texts, luck].filter(Boolean).join("; ")}`].filter((part) => part !== null));
  }

  drawTurns() {
    const { turns } = this.replay.data;
    const first = Math.max(0, Math.min(this.at - TURNS_AROUND, turns.length - 2 * TURNS_AROUND - 1));
    const items = turns.slice(first, first + 2 * TURNS_AROUND + 1).map((turn, k) => this.turnItem(turn, first + k));
    this.turns.replaceChildren(...items);
  }

  turnItem(turn, index) {
    const detonates = turn.to.includes("*");
    const chance = turn.probability === null ? "" : ` (${percent(100 * turn.probability)})`;
    return h(
      "li",
      {},
      h(
        "button",
        {
          type: "button",
          class: `turn ${detonates ? "detonated" : ""}`,
          "aria-current": index === this.at ? "step" : null,
          onclick: () => this.go(index),
        },
        h("span", { class: "turn-number" }, String(index + 1)),
        this.replay.data.person ? "" : reasonMark(turn),
        `${turnText(turn)}${chance}${detonates ? ", a mine goes off" : ""}`,
      ),
    );
  }
}

function mistakeText(mistake, cols) {
  const risk = mistake.percent === null ? "" : `, a mine with ${percent(mistake.percent)}`;
  const did = `${mistake.action === "flag" ? "flags" : "opens"} ${cellName(mistake.cell, cols)}${risk}`;
  if (mistake.best === null) return did;
  const least = mistake.least === 0 ? "was certainly safe" : `was a mine with only ${percent(mistake.least)}`;
  return `${did}; ${cellName(mistake.best, cols)} ${least}`;
}

function reasonMark(turn) {
  return h("b", { class: `reason-mark ${turn.why}`, title: REASONS[turn.why] }, REASON_MARKS[turn.why]);
}
