// The results next to the analysis board: in words, the certain cells, the best cells, and champion's candidates.

import { isSite } from "./api.js";
import { h } from "./dom.js";
import { cellName, count, number, percent } from "./text.js";

const MAX_ROWS = 12;

// What the engine found, in a sentence.
export function summary(solution, position) {
  if (solution.contradiction) {
    const { text } = solution.contradiction;
    return `${text[0].toUpperCase()}${text.slice(1)}.`;
  }
  const { shown } = position;
  if (!shown.includes(".")) return "No cell is covered: the position is consistent.";
  if (solution.first_click_safe) return "Nothing is open yet, and the first click is safe by the rules, on any cell.";
  const parts = [];
  if (solution.safe.length) parts.push(`${count(solution.safe.length, "cell")} ${solution.safe.length === 1 ? "is" : "are"} certainly safe`);
  if (solution.mines.length) parts.push(`${count(solution.mines.length, "cell")} certainly ${solution.mines.length === 1 ? "a mine" : "mines"}`);
  const text = parts.length ? `${parts.join(", ")}.` : "No cell is certain.";
  return solution.status === "approximate" ? `${text} This position is too hard to be exact: probabilities are estimates.` : text;
}

// The best cell by `exact`: a safe one, or the least likely mine.
export function exactAdvice(solution, odds, cols, point) {
  const { best } = solution;
  if (best === null || solution.contradiction) return null;
  const why = solution.safe.length ? "certainly safe" : `a mine with ${percent(odds[best])}, the least of all`;
  return h("p", {}, h("b", {}, "exact"), " opens ", cellButton(best, cols, point), `: ${solution.first_click_safe ? "any cell is safe" : why}.`);
}

// The best cell by `champion`, and its table.
export function championAdvice(advice, cols, point) {
  if (isSite) return h("p", { class: "small muted" }, h("b", {}, "champion"), " and other agents need a server: sweepstakes serve.");
  if (!advice) return h("p", { class: "muted" }, h("b", {}, "champion"), " is thinking …");
  if (advice.refused) return h("p", {}, h("b", {}, "champion"), ` has no advice: ${advice.refused}.`);
  const cells = advice.open.slice(0, 3).map((cell, k) => [k ? ", " : "", cellButton(cell, cols, point)]);
  const more = advice.open.length > 3 ? ` and ${advice.open.length - 3} more` : "";
  const won = advice.won === null ? "" : ` It wins ${advice.won.toLocaleString("en")} of ${count(advice.layouts, "layout")}, ${percent((100 * advice.won) / advice.layouts)}.`;
  return [h("p", {}, h("b", {}, "champion"), " opens ", cells, `${more}: ${advice.why}.${won}`), table(advice, cols, point)];
}

function table(advice, cols, point) {
  const chance = (value) => (value === null ? "" : percent(100 * value, 2).replace("less than ", "< ").replace("more than ", "> "));
  const isTree = advice.wins.length > 0;
  const rows = isTree ? advice.wins : advice.candidates;
  if (!rows.length) return null;
  const columns = isTree
    ? [
        ["Safe", "the probability that the cell is no mine", (row) => chance(row.safe)],
        ["Wins", "of how many layouts best play wins after it", (row) => row.won.toLocaleString("en")],
      ]
    : [
        ["Safe", "the probability that the cell is no mine", (row) => chance(row.safe)],
        ["Best after", "the expected safety of the safest cell after it", (row) => (row.state === "scored" ? chance(row.best) : row.state)],
        ["Second", "the expected safety of the second cell after it", (row) => chance(row.second)],
        ["50/50", "the probability that the cell is the mine of a 50/50", (row) => chance(row.influence)],
        ["Score", "a weighted sum of these, from which champion chooses", (row) => (row.score === null ? "" : number(row.score))],
      ];
  const body = rows.slice(0, MAX_ROWS).map((row) =>
    h(
      "tr",
      { onpointerenter: () => point(row.cell), onpointerleave: () => point(null) },
      h("th", { scope: "row" }, cellButton(row.cell, cols, point)),
      columns.map(([, , text]) => h("td", {}, text(row))),
    ),
  );
  return h(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": "Candidates of champion" },
    h(
      "table",
      { class: "candidates" },
      h("caption", { class: "small muted" }, `The cells that champion considered${rows.length > MAX_ROWS ? `, ${MAX_ROWS} of ${rows.length}` : ""}.`),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Cell"), columns.map(([name, title]) => h("th", { scope: "col", title }, name)))),
      h("tbody", {}, body),
    ),
    h("details", {}, h("summary", {}, "What the columns mean"), h("dl", { class: "small columns" }, columns.map(([name, title]) => [h("dt", {}, name), h("dd", {}, title)]))),
  );
}

// A cell by name; pointing at it shows it on the board.
function cellButton(cell, cols, point) {
  return h(
    "button",
    {
      type: "button",
      class: "cell-link",
      title: cellName(cell, cols),
      "aria-label": cellName(cell, cols),
      onpointerenter: () => point(cell),
      onpointerleave: () => point(null),
      onfocus: () => point(cell),
      onblur: () => point(null),
      onclick: () => point(cell, true),
    },
    `(${Math.floor(cell / cols)}, ${cell % cols})`,
  );
}
