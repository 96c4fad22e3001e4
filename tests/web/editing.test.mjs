// The editor of positions, and positions in addresses.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import "./fake_document.mjs";

const { changeClue, coverAll, markOfKey, resize, setMark, toggleFlag, toggleOpen } = await import("../../web/static/editing.js");
const { Engine } = await import("../../web/static/engine.js");
const { readAddress } = await import("../../web/static/address.js");
const { analysisLink, decodeLayout, decodeMarks, positionValues } = await import("../../web/static/position_code.js");

const position = (...rows) => ({ rows: rows.length, cols: rows[0].length, mines: 2, shown: rows.join(""), layout: null });

test("a click opens a cell with as many mines as are known around it, and covers any other", () => {
  const start = position("F...", "....", "*...");
  assert.equal(toggleOpen(start, 1).shown, "F1......*...");
  assert.equal(toggleOpen(start, 4).shown, "F...2...*...");
  assert.equal(toggleOpen(start, 11).shown, "F.......*..0");
  assert.equal(toggleOpen(start, 0).shown, "........*...");
  assert.equal(toggleOpen(start, 8).shown, "F...........");
});

test("where the mines are known a click opens the true clue, and a blank floods", async () => {
  const engine = await Engine.load(readFileSync(new URL("../../web/static/engine.wasm", import.meta.url)));
  const start = { ...position("...", "...", "..."), layout: "*........" };
  const shown = (from, cell) => toggleOpen(from, cell, engine).shown;
  assert.equal(shown(start, 1), ".1.......");
  assert.equal(shown(start, 8), ".10110000");
  assert.equal(shown(start, 0), "*........");
  assert.equal(shown({ ...start, layout: "........*" }, 8), "........*"); // the board before is forgotten
  const flagged = toggleFlag(start, 2);
  assert.equal(shown(flagged, 8), ".1F110000"); // a flag stays
  assert.equal(shown({ ...position("....", "...."), layout: "*......." }, 7), ".100" + ".100"); // another size
});

test("a flag is set and lifted", () => {
  const flagged = toggleFlag(position("..."), 1);
  assert.equal(flagged.shown, ".F.");
  assert.equal(toggleFlag(flagged, 1).shown, "...");
  assert.equal(toggleFlag(position("1.."), 0).shown, "F..");
});

test("a clue goes from 0 to the number of its neighbours", () => {
  let at = position("0.", "..");
  for (const expected of "1233") {
    at = changeClue(at, 0, 1);
    assert.equal(at.shown[0], expected);
  }
  assert.equal(changeClue(position("0."), 0, -1).shown, "0.");
  const covered = position("..");
  assert.equal(changeClue(covered, 0, 1), covered);
});

test("what changes nothing is the same position, so that Undo has no step for it", () => {
  const at = position("1..");
  assert.equal(setMark(at, 0, "1"), at);
  assert.equal(resize(at, 1, 3), at);
});

test("cells that both sizes have stay as they are", () => {
  const start = { ...position("12", "F*"), layout: "...*" };
  assert.deepEqual(resize(start, 3, 3), { ...start, rows: 3, cols: 3, shown: "12.F*....", layout: null });
  assert.deepEqual(resize(start, 1, 1), { ...start, rows: 1, cols: 1, shown: "1", mines: 1, layout: null });
  assert.equal(coverAll(start).shown, "....");
});

test("keys set marks", () => {
  assert.deepEqual(["0", "8", "f", "F", "?", "*", "Backspace", "Delete", "."].map(markOfKey), ["0", "8", "F", "F", "?", "*", ".", ".", "."]);
  assert.deepEqual(["9", "x", "F2", "10", "Enter"].map(markOfKey), [null, null, null, null, null]);
});

test("a position is read from an address as it was written, on random positions", () => {
  let state = 1;
  const below = (n) => (state = (state * 48271) % 2147483647) % n;
  for (let k = 0; k < 300; k += 1) {
    const length = 1 + below(40);
    const shown = Array.from({ length }, () => "......FF*?012345678"[below(19)]).join("");
    const layout = Array.from({ length }, () => ".*"[below(2)]).join("");
    const values = positionValues({ rows: 1, cols: length, mines: 3, shown, layout }, {});
    assert.equal(decodeMarks(values.cells, length), shown);
    assert.equal(decodeLayout(values.layout, length), layout);
    assert.equal(decodeMarks(values.cells, length + 1), null);
    assert.equal(decodeMarks(values.cells, length - 1), null);
  }
});

test("an invalid code is refused", () => {
  for (const code of ["C8", "zz", "C-9", "C9 ", "C999999", "9C"]) assert.equal(decodeMarks(code, 9), null, code);
  for (const code of ["z0", "0", "000", "0-"]) assert.equal(decodeLayout(code, 9), null, code);
});

test("an address of the analysis leaves out what is usual", () => {
  const usual = { rows: 2, cols: 2, mines: 1, shown: "1...", noise: "exact-clues" };
  const rules = { on_mine: "end", first_click: "any", flood: true, start: null };
  assert.equal(analysisLink(usual, {}), "#/analysis?rows=2&cols=2&mines=1&cells=bC3");
  const { on_mine: ends, first_click: any } = positionValues(usual, rules, { on_mine: "end", first_click: "safe" });
  assert.deepEqual([ends, any], [null, "any"]);
  const other = { ...usual, noise: "hidden(rate=0.25)", layout: "...*" };
  const [, params] = readAddress(analysisLink(other, { ...rules, on_mine: "continue", first_click: "safe" }));
  assert.deepEqual(Object.fromEntries(params), { rows: "2", cols: "2", mines: "1", cells: "bC3", on_mine: "continue", first_click: "safe", noise: "hidden(rate=0.25)", layout: "2" });
});
