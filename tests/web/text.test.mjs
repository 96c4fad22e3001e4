// The texts of the pages.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cellName, count, flagWarning, hintText, number, percent, resultText, turnText } from "../../web/static/text.js";

const turn = (given) => ({ open: [], flag: [], unflag: [], why: "proof", probability: null, ...given });

test("one thing is singular, any other number plural", () => {
  assert.equal(count(1, "cell"), "1 cell");
  assert.equal(count(0, "cell"), "0 cells");
  assert.equal(count(12345, "box", "boxes"), "12,345 boxes");
});

test("only a certain cell reads 0 or 100 percent", () => {
  assert.equal(percent(0), "0\u00a0%");
  assert.equal(percent(100), "100\u00a0%");
  for (let value = 0.06; value < 99.95; value += 0.01) {
    assert.doesNotMatch(percent(value), /^(0|0\.0|100|100\.0)\u00a0%$/, `${value}`);
  }
  assert.equal(percent(3.1234), "3.1\u00a0%");
  assert.equal(percent(33.3), "33\u00a0%");
});

test("a negative number has a minus sign, not a hyphen", () => {
  assert.equal(number(-0.12345), "−0.123");
  assert.equal(number(2, 0), "2");
});

test("cells are named by row and column", () => {
  assert.equal(cellName(0, 30), "row 0, column 0");
  assert.equal(cellName(61, 30), "row 2, column 1");
});

test("flags that cannot be right are named, four of them at most", () => {
  assert.equal(flagWarning({ wrong: [], conflicting: [] }, 9), "");
  assert.equal(flagWarning({ wrong: [10], conflicting: [] }, 9), "The flag at row 1, column 1 cannot be right.");
  assert.equal(
    flagWarning({ wrong: [], conflicting: [0, 1, 2, 3, 4, 5] }, 9),
    "The flags at row 0, column 0; row 0, column 1; row 0, column 2; row 0, column 3 and 2 more cannot all be right.",
  );
  assert.match(flagWarning({ wrong: [1], conflicting: [2] }, 9), /^The flag .* cannot be right\. The flag .* beside the others\.$/);
});

test("a hint says what is certain and what to click", () => {
  assert.equal(hintText(turn({ open: [1] }), "exact"), "1 cell marked H is certainly safe: click it.");
  assert.equal(
    hintText(turn({ open: [1, 2], flag: [3] }), "exact"),
    "2 cells marked H are certainly safe, 1 cell with a dashed flag is certainly a mine. Click them.",
  );
  assert.equal(hintText(turn({ flag: [3, 4] }), "exact"), "2 cells with a dashed flag are certainly mines: click to flag.");
  assert.equal(hintText(turn({}), "exact"), "exact gives up here.");
  assert.equal(hintText(turn({ unflag: [3] }), "exact"), "exact takes 1 flag off.");
});

test("a hint to guess says the risk, unless it is not known or none", () => {
  const guess = (probability) => hintText(turn({ open: [1], why: "guess", probability }), "exact");
  assert.equal(guess(0.25), "Nothing is certain. The cell marked CG is the best guess: a mine with 25\u00a0%. Click it.");
  assert.match(guess(null), /the least likely mine/);
  assert.match(guess(0), /cannot be a mine/);
  assert.match(hintText(turn({ open: [1], why: "random" }), "basic"), /^Nothing is certain for basic\..* marked R, picked at random/);
});

test("a hint names the flag above a cell that it opens", () => {
  const under = hintText(turn({ open: [1], unflag: [1] }), "exact");
  assert.equal(under, "The cell under the outlined flag is certainly safe: take the flag off. Click it.");
  const first = hintText(turn({ open: [1], why: "random", first_click_safe: true }), "exact");
  assert.equal(first, "The first click is safe by the rules. exact would begin with the cell marked R. Click it.");
});

test("a turn is counted by what it does", () => {
  assert.equal(turnText(turn({ open: [1, 2], flag: [3], unflag: [4] })), "unflags 1, flags 1, opens 2");
  assert.equal(turnText(turn({})), "gives up");
});

test("a result is rated by the score of its rules", () => {
  const result = { won: false, ending: "lost", mines: 10, right_flags: 4, wrong_flags: 1, detonated: 1, fault: "" };
  const scores = { identified: 0.3, "safe-opened": 0.5 };
  assert.equal(
    resultText(result, scores, { on_mine: "end" }),
    "Lost. Score 0.50 of the safe cells open, 1 detonated, 1 wrong flag.",
  );
  assert.equal(
    resultText({ ...result, ending: "finished" }, scores, { on_mine: "continue" }),
    "Finished. Score 0.30: 4 of 10 mines safely identified, 1 detonated, 1 wrong flag.",
  );
  assert.match(resultText({ ...result, won: true }, {}, { on_mine: "end" }), /^Won\./);
  assert.match(resultText({ ...result, ending: "time-out", fault: "it took 2 s" }, {}, null), /^Ended: time-out\..* it took 2 s\.$/);
});
