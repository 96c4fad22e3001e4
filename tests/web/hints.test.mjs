// Hints: what is marked, what a click on a mark does, and what is said of it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { isPossible, lookOf, moveOf } from "../../web/static/clicks.js";
import { hintText } from "../../web/static/hint_text.js";
import { asHint, certainPart, signOf } from "../../web/static/hints.js";

const turn = (given) => ({ open: [], flag: [], unflag: [], why: "proof", probability: null, certain: { safe: [], mines: [] }, ...given });
const signs = (hint, shown) => [...shown].map((code, cell) => signOf(hint, code, cell));

test("every certain cell is marked, also those that the agent has not found", () => {
  const hint = asHint(turn({ open: [0], flag: [1], certain: { safe: [0, 2], mines: [1, 3] } }));
  assert.deepEqual(signs(hint, "....."), ["open", "flag", "safe", "flag", ""]);
});

test("what is certain outdoes what an agent believes", () => {
  const wrong = asHint(turn({ open: [0], flag: [1], certain: { safe: [1], mines: [0] } }));
  assert.deepEqual(signs(wrong, ".."), ["flag", "safe"]);
  const lucky = asHint(turn({ open: [0], why: "guess", certain: { safe: [0], mines: [] } }));
  assert.deepEqual(signs(lucky, "."), ["safe"]);
});

test("after a move the certain cells stay marked, and guesses do not", () => {
  const hint = asHint(turn({ open: [0, 1], flag: [2], certain: { safe: [0, 1, 3], mines: [2] } }));
  assert.deepEqual(signs(certainPart(hint), "1..."), ["", "open", "flag", "safe"]);
  const guess = asHint(turn({ open: [0], flag: [2], why: "guess", certain: { safe: [], mines: [2] } }));
  assert.deepEqual(signs(certainPart(guess), "..."), ["", "", "flag"]);
  const lie = asHint(turn({ open: [0], flag: [1] }));
  assert.deepEqual(signs(certainPart(lie), ".."), ["", "flag"]); // a click on a dashed flag never opens
  assert.equal(certainPart(null), null);
});

test("a click does what was drawn", () => {
  const hint = asHint(turn({ open: [0], certain: { safe: [0], mines: [1] } }));
  const board = { shown: "..3F0", hint };
  const move = (action, cell, flagging) => moveOf(action, lookOf(board, cell), flagging);
  assert.deepEqual([0, 1, 2, 3, 4].map((cell) => move("open", cell)), ["open", "flag", "chord", null, null]);
  assert.deepEqual([0, 1, 2, 3, 4].map((cell) => move("flag", cell)), ["flag", "flag", "chord", "unflag", null]);
  assert.deepEqual([0, 2, 4].map((cell) => move("chord", cell)), [null, "chord", null]);
  assert.equal(move("open", 0, true), "flag");
  assert.equal(move("open", 3, true), "unflag");
});

test("without a hint on the board a left click never flags", () => {
  for (const code of ".F*?012345678") assert.notEqual(moveOf("open", lookOf({ shown: code, hint: null }, 0)), "flag");
});

test("a move whose cell has changed meanwhile is not sent", () => {
  const state = { rows: 1, cols: 3, shown: "1F." };
  assert.deepEqual([1, 2].map((cell) => isPossible("open", state, cell)), [false, true]);
  assert.deepEqual([1, 2].map((cell) => isPossible("flag", state, cell)), [false, true]);
  assert.deepEqual([1, 2].map((cell) => isPossible("unflag", state, cell)), [true, false]);
  assert.deepEqual([0, 1].map((cell) => isPossible("chord", { chord: (at) => (at ? [2] : null) }, cell)), [false, true]);
});

test("a hint says what is certain and what to click", () => {
  assert.equal(hintText(turn({ open: [1], certain: { safe: [1], mines: [] } }), "exact"), "1 cell marked H is certainly safe: click it.");
  assert.equal(
    hintText(turn({ open: [1, 2], flag: [3], certain: { safe: [1, 2], mines: [3] } }), "exact"),
    "2 cells marked H are certainly safe, 1 cell with a dashed flag is certainly a mine. Click them.",
  );
  assert.equal(
    hintText(turn({ open: [1], certain: { safe: [1, 2, 5], mines: [] } }), "basic"),
    "3 cells marked H are certainly safe: click them. basic has found 1 of the safe ones.",
  );
  assert.equal(hintText(turn({ flag: [3, 4], certain: { safe: [], mines: [3, 4] } }), "exact"), "2 cells with a dashed flag are certainly mines: click to flag.");
  assert.equal(hintText(turn({}), "exact"), "exact gives up here.");
  assert.equal(hintText(turn({ certain: { safe: [4], mines: [] } }), "exact"), "1 cell marked H is certainly safe: click it. exact gives up here.");
  assert.equal(hintText(turn({ unflag: [3] }), "exact"), "exact takes 1 flag off.");
});

test("a guess is the agent's, with the risk that it says", () => {
  const guess = (probability, certain = { safe: [], mines: [] }) => hintText(turn({ open: [1], why: "guess", probability, certain }), "probabilistic");
  assert.equal(guess(0.25), "No cell is certainly safe. probabilistic would open the cell marked CG, its best guess: a mine with 25\u00a0%, it says. Click it.");
  assert.match(guess(0.0001), /a mine with less than 0\.1\u00a0%, it says/);
  assert.match(guess(null), /its best guess\. Click it\.$/);
  assert.match(guess(0), /which it takes for safe/);
  assert.equal(
    guess(0.0001, { safe: [2, 3, 4], mines: [] }),
    "3 cells marked H are certainly safe: click them. probabilistic has found none of them: it would open the cell marked CG, its best guess: a mine with less than 0.1\u00a0%, it says.",
  );
  assert.match(guess(0.1, { safe: [1], mines: [] }), /^1 cell marked H .* would open one as a guess\.$/);
  assert.match(guess(0.1, { safe: [], mines: [1] }), /would open a cell that is certainly a mine\.$/);
  assert.match(hintText(turn({ open: [1], why: "random" }), "basic"), /^No cell is certainly safe\. basic would open the cell marked R, picked at random\./);
});

test("nothing is called certain that only the agent says", () => {
  const unknown = hintText(turn({ open: [1], certain: null }), "mine");
  assert.equal(unknown, "For mine, 1 cell marked H is certainly safe: click it.");
  assert.match(hintText(turn({ open: [1], why: "guess", certain: undefined }), "mine"), /^For mine, no cell is certainly safe\./);
  assert.equal(hintText(turn({ open: [1], flag: [2] }), "mine"), "mine takes 1 cell for safe and 1 cell for a mine, which is not certain.");
});

test("a hint names the flag above a cell that it opens", () => {
  const under = hintText(turn({ open: [1], unflag: [1], flags: { wrong: [1], conflicting: [] } }), "exact");
  assert.equal(under, "The cell under the outlined flag is certainly safe: click to take the flag off.");
  assert.match(hintText(turn({ open: [1], unflag: [1] }), "mine"), /^mine takes the cell under the outlined flag for safe: click/);
  const first = hintText(turn({ open: [1], why: "random", first_click_safe: true }), "exact");
  assert.equal(first, "The first click is safe by the rules. exact would begin with the cell marked R. Click it.");
});
