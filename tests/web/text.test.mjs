// The texts of the pages.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cellName, count, flagWarning, number, percent, resultText, turnText } from "../../web/static/text.js";

const turn = (given) => ({ open: [], flag: [], unflag: [], why: "proof", probability: null, ...given });

test("one thing is singular, any other number plural", () => {
  assert.equal(count(1, "cell"), "1 cell");
  assert.equal(count(0, "cell"), "0 cells");
  assert.equal(count(12345, "box", "boxes"), "12,345 boxes");
});

test("only a certain cell reads 0 or 100 percent", () => {
  assert.equal(percent(0), "0\u00a0%");
  assert.equal(percent(100), "100\u00a0%");
  for (const value of [1e-9, 0.001, 0.04, 0.049, 0.05, 0.06, 49.7, 99.94, 99.95, 99.96, 99.999, 100 - 1e-9]) {
    assert.doesNotMatch(percent(value), /(^| )(0|0\.0|100|100\.0)\u00a0%$/, `${value}`);
    assert.doesNotMatch(percent(value, 2), /(^| )(0|0\.00|100|100\.00)\u00a0%$/, `${value}`);
  }
  assert.equal(percent(0.04), "less than 0.1\u00a0%");
  assert.equal(percent(99.97), "more than 99.9\u00a0%");
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
  assert.match(flagWarning({ wrong: [1], conflicting: [2] }, 9), /^The flag .* cannot be right\. The flag .* together with the others\.$/);
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
  assert.equal(resultText(result, {}, { on_mine: "end" }), "Lost. 1 detonated, 1 wrong flag.");
  assert.equal(resultText({ ...result, won: true, detonated: 0, wrong_flags: 0 }, {}, { on_mine: "end" }), "Won.");
  assert.match(resultText({ ...result, ending: "time-out", fault: "it took 2 s" }, {}, null), /^Ended: time-out\..* it took 2 s\.$/);
});
