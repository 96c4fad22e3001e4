// What the signs on the board mean.

import { h } from "./dom.js";

const SIGNS = [
  ["covered hint", "H", "certainly safe"],
  ["covered hint", "CG", "calculated guess"],
  ["covered hint", "R", "random"],
  ["covered flag-here", "", "certainly a mine: flag it"],
  ["covered flag flag-off", "", "a flag to take off"],
  ["open c2 proves", "2", "a clue that proves the cell you point at"],
];

// Open where there is room for it.
export function legend() {
  return h(
    "details",
    { class: "legend", open: matchMedia("(min-width: 60rem)").matches },
    h("summary", {}, "What the signs mean"),
    h("ul", {}, SIGNS.map(([name, mark, words]) => h("li", {}, h("span", { class: `cell sample ${name}` }, mark), words))),
    h(
      "p",
      { class: "small muted" },
      "Click opens, right click or long press flags, middle or double click on a clue opens around it. " +
        "Keys: arrows, Space, F flag, C chord, H hints, P probabilities, N do it, U undo.",
    ),
  );
}
