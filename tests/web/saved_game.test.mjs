// A game that the browser keeps, and the rules that a pasted position changes.

import assert from "node:assert/strict";
import { test } from "node:test";

import { endText } from "../../web/static/play_text.js";
import { analysisAddress } from "../../web/static/position_code.js";
import { changedRules } from "../../web/static/rules.js";
import { OPTIONS } from "./fake_server.mjs";

test("a game that was won with hints or probabilities says so, and has no efficiency", () => {
  const state = {
    rows: 9, cols: 9, mines: 10, rules: { on_mine: "end" }, result: { won: true, ending: "won", efficiency: 1, pace: 0.5 }, seconds: 20,
    three_bv: 10, clicks: 10, turns: 10, undone: 0, agent: "exact", lies: {}, shown: "", with_hints: 0, with_odds: 0,
  }; // prettier-ignore
  assert.equal(endText(state), "Won in 20.00\u00a0s. 3BV 10, 10 clicks, efficiency 100\u00a0%, 0.50 3BV/s.");
  assert.equal(endText({ ...state, with_hints: 10 }), "Won in 20.00\u00a0s. 3BV 10, 10 clicks, hints were on.");
  assert.match(endText({ ...state, with_hints: 3, with_odds: 10 }), /10 clicks, hints were on for 3 of them, probabilities were on\.$/);
});

test("the address of the page is recognised, wherever the page is", () => {
  const hash = "#/analysis?rows=3&cols=3&mines=1&cells=bC8";
  for (const before of ["", "http://127.0.0.1:8765/", "https://example.org/arena/"]) assert.equal(analysisAddress(` ${before}${hash}\n`), hash);
  for (const text of ["3 3 1\n...", "https://davidnhill.github.io/JSMinesweeper/?analysis=x", "#/play?seed=3"]) assert.equal(analysisAddress(text), null);
});

test("rules that a pasted text changes are named", () => {
  const rules = { on_mine: "end", first_click: "any", noise: "exact-clues" };
  assert.equal(changedRules(rules, { ...rules, mines: 3 }, OPTIONS.rules), "");
  assert.equal(changedRules(rules, { ...rules, on_mine: "continue" }, OPTIONS.rules), "The rules have changed: play goes on after a mine.");
  assert.match(changedRules(rules, { ...rules, first_click: "safe", noise: "hidden(rate=0.25)" }, OPTIONS.rules), /: the first click is safe; clues are hidden/);
});
