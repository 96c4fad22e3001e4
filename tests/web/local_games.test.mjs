// Games in the page itself: dealt, refereed and advised by the engine.

import "./fake_document.mjs";

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { OPTIONS } from "./fake_server.mjs";

const { Engine } = await import("../../web/static/engine.js");
const { LocalGame } = await import("../../web/static/local_games.js");
const { readPosition, writePosition } = await import("../../web/static/position_text.js");

const engine = await Engine.load(readFileSync(new URL("../../web/static/engine.wasm", import.meta.url)));
const SETUP = { rows: 9, cols: 9, mines: 10, on_mine: "end", first_click: "opening", start: null, flood: true, noise: "exact-clues", number: 0, source: "uniform", seed: 7 };

function begin(more = {}, now = { seconds: 0 }) {
  return new LocalGame(engine, { ...SETUP, ...more }, { id: "game", agent: "exact", clock: () => now.seconds });
}

test("the turns of the hints end the game, and its words restore it", async () => {
  const game = begin();
  while (!game.state().over) await game.step();
  const state = game.state();
  assert.equal(state.clicks, 0);
  assert.ok(["won", "lost"].includes(state.result.ending));
  assert.equal(state.layout.split("*").length - 1, 10);
  const again = begin();
  await again.restore({ turns: game.saved(), undone: 2, seconds: 5 });
  const { shown, turns, over, undone, seconds } = again.state();
  assert.deepEqual([shown, turns, over, undone, seconds], [state.shown, state.turns, true, 2, 5]);
  assert.equal(again.saved(), game.saved());
});

test("a turn is taken back, and the board stays the same", async () => {
  const game = begin();
  await game.move({ action: "open", cell: 40 });
  const { shown } = game.state();
  assert.notEqual(shown, ".".repeat(81));
  game.undo();
  assert.equal(game.state().shown, ".".repeat(81));
  await game.move({ action: "open", cell: 40 });
  assert.equal(game.state().shown, shown);
  assert.equal(game.state().undone, 1);
});

test("what breaks a rule is refused and changes nothing", async () => {
  const game = begin();
  await game.move({ action: "open", cell: 40 });
  const { shown } = game.state();
  await assert.rejects(game.move({ action: "open", cell: 40 }), { status: 409 });
  await assert.rejects(game.move({ action: "chord", cell: 40 }), { status: 409 });
  assert.equal(game.state().shown, shown);
  assert.equal(game.state().turns, 1);
});

// Which clues can be chorded, found by a look at every pair of cells.
function canChord({ rows, cols, shown }, cell) {
  const apart = (a, b) => Math.max(Math.abs(Math.floor(a / cols) - Math.floor(b / cols)), Math.abs((a % cols) - (b % cols)));
  const marks = [...Array(rows * cols).keys()].filter((other) => apart(cell, other) <= 1).map((other) => shown[other]);
  return /^[1-8]$/.test(shown[cell]) && marks.includes(".") && Number(shown[cell]) === marks.filter((mark) => "F*".includes(mark)).length;
}

test("a clue can be chorded where its mines are marked and a neighbour is covered, in random games", () => {
  let state = 1;
  const below = (n) => (state = (state * 48271) % 2147483647) % n;
  let chords = 0;
  for (let k = 0; k < 40; k += 1) {
    const { game } = begin({ rows: 5, cols: 6, mines: 7, first_click: "any", on_mine: "continue", seed: k });
    for (let cell = 0; cell < 30; cell += 1) {
      if (game.shown[cell] === "." && !game.over) game.take({ [["open", "flag"][below(2)]]: [cell] });
      for (let clue = 0; clue < 30; clue += 1) {
        const found = game.chord(clue) !== null;
        assert.equal(found, canChord({ rows: 5, cols: 6, shown: game.shown }, clue), `${game.shown} at ${clue}`);
        chords += found;
      }
    }
  }
  assert.ok(chords > 300, `${chords}`);
});

test("a wrong flag of a person is named, and the hint does not rely on it", async () => {
  const game = begin();
  await game.move({ action: "open", cell: 40 });
  const [safe] = (await game.hint()).certain.safe;
  await game.move({ action: "flag", cell: safe });
  const hint = await game.hint();
  assert.deepEqual(hint.flags.wrong, [safe]);
  assert.ok(hint.open.includes(safe) && hint.unflag.includes(safe));
});

test("every proven cell of a hint has clues", async () => {
  const game = begin();
  await game.move({ action: "open", cell: 40 });
  const { open, evidence, why } = await game.hint();
  assert.equal(why, "proof");
  for (const cell of open) assert.ok(evidence[cell].length > 0);
});

test("the clock runs from the first opened cell to the end", async () => {
  const now = { seconds: 100 };
  const game = begin({}, now);
  assert.equal(game.state().seconds, null);
  await game.move({ action: "open", cell: 40 });
  now.seconds = 103.5;
  assert.equal(game.state().seconds, 3.5);
});

test("a position is written and read as text", () => {
  const position = { rows: 2, cols: 3, mines: 1, shown: "1..F?*", on_mine: "continue", first_click: "safe", noise: "liar(rate=0.1)" };
  assert.equal(writePosition(position, OPTIONS), "2 3 1 on_mine=continue first_click=safe noise=liar(rate=0.1)\n1..\nF?*\n");
  assert.deepEqual(readPosition(writePosition(position, OPTIONS), 0, OPTIONS), position);
  assert.deepEqual(readPosition("*.\n..", 5, OPTIONS), { rows: 2, cols: 2, mines: 1, shown: "....", layout: "*..." });
  for (const [text, said] of [["", /nothing to read/], ["2 2 1\n..", /first line says/], ["1.\n.", /Row 2/], ["a b c\n.", /rows cols mines/], ["..x", /'x'/], [".".repeat(101), /at most 100/]]) {
    assert.throws(() => readPosition(text, 1, OPTIONS), said);
  }
});
