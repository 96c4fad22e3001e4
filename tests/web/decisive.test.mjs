// The boards that decide between two agents.

import assert from "node:assert/strict";
import { test } from "node:test";

import { joinDecisive } from "../../web/static/decisive.js";

test("several conditions have the boards of each, and their sums", () => {
  const small = { better: 1, worse: 0, won: [[7, 1, 0.5]], lost: [] };
  const large = { better: 60, worse: 2, won: [[0, 1, 0], [3, 0.9, 0.8]], lost: [[4, 0, 1]] };
  const joined = joinDecisive([["small", small], ["large", large]]);
  assert.equal(joined.better, 61);
  assert.equal(joined.worse, 2);
  assert.deepEqual(joined.won, [["large", 0, 1, 0], ["small", 7, 1, 0.5], ["large", 3, 0.9, 0.8]]);
  assert.deepEqual(joined.lost, [["large", 4, 0, 1]]);
});

test("no more boards are listed than of one condition", () => {
  const boards = Array.from({ length: 40 }, (_, board) => [board, 1, 0]);
  const part = { better: 40, worse: 0, won: boards, lost: [] };
  const joined = joinDecisive([["a", part], ["b", part]]);
  assert.equal(joined.better, 80);
  assert.equal(joined.won.length, 50);
});
