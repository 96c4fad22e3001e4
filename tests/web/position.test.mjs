// How a cell looks.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cellNumbers, cellView, expandRuns, frontierOf } from "../../web/static/cell_view.js";
import { asHint } from "../../web/static/hints.js";

const board = (shown, given = {}) => ({ rows: 1, cols: shown.length, shown, ...given });
const hint = (given) => asHint({ why: "proof", open: [], flag: [], unflag: [], ...given });

test("a cell looks and is called as the game shows it", () => {
  assert.deepEqual(cellView(board(".F*?03"), 5), { className: "cell open c3", text: "3", hue: null, truth: undefined, label: "row 0, column 5: 3" });
  assert.equal(cellView(board(".F*?03"), 0).className, "cell covered");
  assert.equal(cellView(board(".F*?03"), 1).className, "cell covered flag");
  assert.equal(cellView(board(".F*?03"), 2).className, "cell detonated");
  assert.match(cellView(board(".F*?03"), 3).label, /withheld/);
  assert.match(cellView(board(".F*?03"), 4).label, /blank/);
});

test("mines and flags are judged only when the layout may be seen", () => {
  const layout = "*.*.";
  assert.equal(cellView(board("FF..", { layout }), 0).className, "cell covered flag right");
  assert.equal(cellView(board("FF..", { layout }), 1).className, "cell covered flag wrong");
  assert.equal(cellView(board("FF..", { layout }), 2).className, "cell covered mine");
  assert.equal(cellView(board("FF.."), 2).className, "cell covered");
});

test("a hint marks cells that can still be opened, flagged or unflagged", () => {
  const given = { hint: hint({ open: [0, 3], flag: [1], unflag: [2] }) };
  const views = [0, 1, 2, 3].map((cell) => cellView(board("..F1", given), cell));
  assert.deepEqual(views.map((view) => view.className), ["cell covered hint proof", "cell covered flag-hint", "cell covered flag unflag-hint", "cell open c1"]);
  assert.equal(views[0].text, "H");
});

test("a guess shows the probability and no mark over it, and a proof shows its mark", () => {
  const odds = [20, 0, null, 100];
  const guess = cellView(board("....", { odds, hint: hint({ open: [0], why: "guess" }) }), 0);
  assert.deepEqual([guess.text, guess.className], ["20", "cell covered heat hint guess"]);
  const proof = cellView(board("....", { odds, hint: hint({ open: [1] }) }), 1);
  assert.equal(proof.text, "H");
  assert.equal(cellView(board("....", { odds }), 2).hue, null);
  assert.equal(cellView(board("....", { odds: [0.2, 99.8, 0, 100] }), 0).text, "1");
  assert.equal(cellView(board("....", { odds: [0.2, 99.8, 0, 100] }), 1).text, "99");
});

test("the riskier the cell, the redder", () => {
  const hues = [0, 1, 10, 50, 100].map((value) => cellView(board(".", { odds: [value] }), 0).hue);
  assert.deepEqual(hues, [...hues].toSorted((a, b) => b - a));
  assert.equal(hues.at(-1), 0);
  assert.ok(hues[0] - hues[1] >= 5, "one percent can be seen");
});

test("run lengths are written out", () => {
  assert.deepEqual(expandRuns([5, 2, null, 1, 0, 3]), [5, 5, null, 0, 0, 0]);
  assert.deepEqual(expandRuns([]), []);
});

test("no turn is no hint", () => {
  assert.equal(asHint(undefined), null);
});

test("cells away from the clues recede: they have no number and one colour for all", () => {
  const shown = "1...";
  const odds = [null, 50, 20, 20];
  const { frontier, background } = frontierOf({ rows: 1, cols: 4, shown }, odds);
  assert.deepEqual([...frontier], [1, 1, 0, 0]);
  assert.equal(background, 20);
  const texts = [1, 2, 3].map((cell) => cellView(board(shown, { odds, frontier }), cell).text);
  assert.deepEqual(texts, ["50", "", ""]);
});

test("two cells have the same number only if they look the same", () => {
  const boards = [
    board(".F*?0312"),
    board(".F*?0312", { layout: "**......" }),
    board("....0312", { odds: [0, 20, 20.1, 100, null, null, null, null] }),
    board("....0312", { odds: [20, 20, 20, 30, null, null, null, null], frontier: [0, 0, 1, 1, 1, 1, 1, 1] }),
    board("..FF0312", { hint: hint({ open: [0], flag: [1], unflag: [2], flags: { wrong: [3], conflicting: [2] } }) }),
    board("....0312", { hint: hint({ open: [0], why: "guess" }), proves: new Set([4]), changed: new Set([5]), missed: 1 }),
    board("....0312", { hint: hint({ open: [0], why: "random" }), lies: { 5: 2, 6: 3 } }),
  ];
  const looks = new Map();
  for (const one of boards) {
    cellNumbers(one, 8).forEach((number, cell) => {
      const { label, ...look } = cellView(one, cell);
      const seen = JSON.stringify({ ...look, label: label.replace(/^row 0, column \d+/, "") });
      assert.equal(looks.get(number) ?? seen, seen);
      looks.set(number, seen);
    });
  }
});
