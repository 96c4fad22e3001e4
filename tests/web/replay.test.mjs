// A stored game, on a static site.

import assert from "node:assert/strict";
import { test } from "node:test";

const replays = { "1/2/3": { odds: { 1: { percent: [50, 2, null, 2], first_click_safe: true } } } };
globalThis.siteFiles = { data: { run: {}, decisive: {} }, "replays-1": replays }; // without the engine
const { Replay } = await import("../../web/static/replay.js");
const { efficiencyText } = await import("../../web/static/replay_panel.js");

const turn = (given) => ({ open: [], flag: [], unflag: [], why: "proof", at: [], to: "", ...given });
const review = { turns: [{ label: "missed proof", mistakes: [{ best: 3, clues: [0] }] }, { label: "", mistakes: [] }, { label: "", mistakes: [] }] };
const data = {
  rows: 2,
  cols: 2,
  start: "....",
  layout: "..*.",
  review,
  turns: [
    turn({ open: [0], at: [0], to: "1", why: "random", evidence: { 0: [3] } }),
    turn({ flag: [2], at: [2], to: "F", evidence: { 2: [0] } }),
    turn({ open: [1], at: [1, 3], to: "1*" }),
  ],
};
const game = () => new Replay([1, 2, 3], data);

test("a position is the one before with the changes of its turn", () => {
  const replay = game();
  const positions = (turns) => turns.map((turn) => replay.positionAt(turn).join(""));
  assert.deepEqual(positions([0, 1, 2, 3]), ["....", "1...", "1.F.", "11F*"]);
  assert.deepEqual(positions([1, 3, 0, 2]), ["1...", "11F*", "....", "1.F."]);
  assert.equal(game().length, 3);
  assert.equal(game().next(3), undefined);
});

test("the mines are shown at the end and not before", () => {
  const shown = { showOdds: true, inspected: null };
  assert.equal(game().boardAt(2, shown).layout, undefined);
  const end = game().boardAt(99, shown);
  assert.equal(end.layout, "..*.");
  assert.equal(end.hint, null);
  assert.deepEqual(end.changed, new Set([1, 3]));
});

test("clues that lied have their true number as soon as they are open", () => {
  const replay = new Replay([1, 2, 3], { ...data, lies: { 0: 2, 1: 3 } });
  const lies = (turn) => replay.boardAt(turn, { inspected: null }).lies;
  assert.deepEqual([lies(0), lies(1), lies(3)], [{}, { 0: 2 }, { 0: 2, 1: 3 }]);
});

test("the clues of a proof are those of the cell one points at, else those of the proof that was missed", () => {
  assert.deepEqual(game().boardAt(0, { inspected: 0 }).proves, new Set([3]));
  assert.deepEqual(game().boardAt(0, { inspected: null }).proves, new Set([0]));
  assert.equal(game().boardAt(0, { inspected: null }).missed, 3);
  assert.deepEqual(game().boardAt(2, { inspected: null }).proves, new Set());
});

test("probabilities come once, and the risk of a turn is that of its worst cell", async () => {
  const replay = game();
  assert.equal(replay.risk(1), undefined);
  await replay.loadOdds(1);
  assert.deepEqual(replay.odds.get(1).percent, [50, 50, null, null]);
  assert.ok(replay.firstClickSafe.has(1));
  replay.odds.set(2, { percent: [0, 30, 70, 10] });
  assert.equal(replay.risk(2), 30);
  await assert.rejects(replay.loadOdds(3), { status: 404 });
});

test("a turn is coloured by its mistake, by bad luck, or by its reason", () => {
  assert.deepEqual(game().turnKinds(), ["missed-proof", "proof", "detonated"]);
  assert.deepEqual(new Replay([1, 2, 3], { ...data, review: undefined }).turnKinds(), ["random", "proof", "detonated"]);
});

test("the efficiency of a won game is shown, unless its clicks are not known", () => {
  const result = { efficiency: 0.75, three_bv: 15, clicks: 20 };
  assert.equal(efficiencyText(result), " 3BV 15, 20 clicks, efficiency 75\u00a0%.");
  assert.equal(efficiencyText({ efficiency: null, three_bv: null, clicks: null }), "");
});
