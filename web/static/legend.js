// The legends of the marks H, CG and R, and of the signs on the board.

import { heatHue } from "./cell_view.js";
import { h } from "./dom.js";
import { REASON_MARKS } from "./text.js";

const SIGNS = [
  ["covered hint proof", REASON_MARKS.proof, "safe: certainly not a mine"],
  ["covered safe-hint", REASON_MARKS.proof, "safe as well: the agent has not found it yet"],
  ["covered hint guess", REASON_MARKS.guess, "guess: calculated to be the best"],
  ["covered hint random", REASON_MARKS.random, "random: picked without calculation"],
  ["covered flag-hint", "", "certainly a mine: flag it"],
  ["covered flag unflag-hint", "", "a flag to take off"],
  ["open c2 proves", "2", "a clue that proves the cell you point at"],
];

// The legend of the Play page, open on wide screens.
export function legend() {
  return h(
    "details",
    { class: "legend", open: matchMedia("(min-width: 60rem)").matches },
    h("summary", {}, "What the signs mean"),
    h("ul", {}, SIGNS.map(([name, mark, text]) => h("li", {}, h("span", { class: `cell sample ${name}` }, mark), text))),
    h(
      "p",
      { class: "small muted" },
      "Click opens, right click or long press flags; a click on a clue opens around it. " +
        "Keys on the board: arrows, Space, F flag, C chord, H hints, P probabilities, N do it, U undo; anywhere: F2 new game.",
    ),
  );
}

const SCALE = [0, 2, 10, 25, 50, 75, 100]; // percent

// The colours of the heat map with their probabilities.
export function heatScale() {
  const sample = (value) => {
    const cell = h("span", { class: "cell heat" }, String(value));
    cell.style.setProperty("--hue", heatHue(value));
    return cell;
  };
  return h("p", { class: "heat-scale small muted" }, "Mine probability in percent: ", h("span", { class: "joined" }, SCALE.map(sample)));
}

// The marks in one line, for the Watch page.
export function markLegend() {
  const marks = [
    ["proof", "safe"],
    ["guess", "guess"],
    ["random", "random"],
  ];
  return h(
    "p",
    { class: "mark-legend small muted" },
    "The agent's reason for a turn: ",
    marks.map(([why, text], k) => [k ? ", " : "", h("b", { class: `reason-mark ${why}` }, REASON_MARKS[why]), ` ${text}`]),
  );
}
