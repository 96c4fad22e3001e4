// The board under mouse, fingers and keys: which action reaches the page, and with which look of the cell.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./fake_document.mjs";

const { Board } = await import("../../web/static/board.js");
const { asHint } = await import("../../web/static/hints.js");

const flagHint = (cell) => asHint({ open: [], flag: [cell], unflag: [], why: "proof" });

// A board of 2 x 3 cells, the actions on it, and the cells that were inspected.
function board(given = {}) {
  const acts = [];
  const inspected = [];
  const made = new Board({ rows: 2, cols: 3, act: (...act) => acts.push(act), inspect: (cell) => inspected.push(cell), ...given });
  const draw = (shown, hint = null) => made.draw({ rows: 2, cols: 3, shown, hint });
  draw("......");
  const key = (name, properties = {}) => made.cells[made.focused].fire("keydown", { key: name, ...properties });
  return { made, acts, inspected, draw, key, cells: made.cells };
}

const covered = { code: ".", sign: "" };

test("a left click opens, a right click flags, a middle click opens around", () => {
  const { acts, cells } = board();
  cells[1].fire("pointerdown", { pointerType: "mouse" });
  cells[1].click(1);
  assert.ok(cells[2].fire("contextmenu").defaultPrevented);
  cells[3].fire("auxclick", { button: 1 });
  cells[3].fire("auxclick", { button: 3 });
  assert.deepEqual(acts, [["open", 1, covered], ["flag", 2, covered], ["chord", 3, covered]]);
});

test("a click does what was drawn when the pointer went down", () => {
  const { acts, cells, draw } = board();
  draw("......", flagHint(4));
  cells[4].fire("pointerdown", { pointerType: "mouse" });
  draw("......");
  cells[4].click(1);
  assert.deepEqual(acts, [["open", 4, { code: ".", sign: "flag" }]]);
});

test("a click without a pointer, or on another cell than it went down on, does what is drawn now", () => {
  const { acts, cells, draw } = board();
  draw("......", flagHint(4));
  cells[4].fire("pointerdown", { pointerType: "mouse" });
  draw("......");
  cells[4].click(0); // a screen reader
  cells[5].click(1);
  assert.deepEqual(acts, [["open", 4, covered], ["open", 5, covered]]);
});

test("the second click of a double click does nothing", () => {
  const { acts, cells, draw } = board();
  const twice = (cell, between = () => {}) => {
    cells[cell].click(1);
    between();
    cells[cell].click(2);
  };
  draw("1.....");
  twice(0);
  assert.deepEqual(acts.map(([action, cell]) => [action, cell]), [["open", 0]]);
  acts.length = 0;
  twice(3, () => draw("1..1.."));
  assert.deepEqual(acts.map(([action, cell]) => [action, cell]), [["open", 3]]);
});

test("what the pointer holds down looks pressed: a covered cell, or those around a clue", () => {
  const { cells, draw } = board();
  const pressed = () => cells.flatMap((cell, i) => (cell.classList.contains("pressed") ? [i] : []));
  draw("1F....");
  cells[5].fire("pointerdown", { pointerType: "mouse", button: 0 });
  assert.deepEqual(pressed(), [5]);
  cells[5].fire("pointerup");
  cells[0].fire("pointerdown", { pointerType: "mouse", button: 0 });
  assert.deepEqual(pressed(), [3, 4]);
  cells[0].fire("pointerleave");
  cells[1].fire("pointerdown", { pointerType: "mouse", button: 0 });
  assert.deepEqual(pressed(), []);
});

test("a long press flags, and the click after it does nothing", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
  const { acts, cells } = board();
  cells[2].fire("pointerdown", { pointerType: "touch" });
  t.mock.timers.tick(440);
  assert.deepEqual(acts, []);
  t.mock.timers.tick(20);
  assert.deepEqual(acts, [["flag", 2, covered]]);
  cells[2].fire("contextmenu");
  cells[2].fire("pointerup");
  cells[2].click(1);
  assert.equal(acts.length, 1);
  t.mock.timers.tick(1000);
  cells[2].click(1);
  assert.equal(acts.length, 2);
});

test("a finger that is lifted or moves is no long press", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
  const { acts, cells } = board();
  for (const [end, properties] of [["pointerup", {}], ["pointermove", { movementX: 5, movementY: 3 }], ["pointercancel", {}]]) {
    cells[2].fire("pointerdown", { pointerType: "touch" });
    cells[2].fire(end, properties);
    t.mock.timers.tick(1000);
  }
  assert.deepEqual(acts, []);
  cells[2].fire("pointerdown", { pointerType: "touch" });
  cells[2].fire("pointermove", { movementX: 1, movementY: 1 });
  t.mock.timers.tick(1000);
  assert.equal(acts.length, 1);
});

test("arrows, Home and End move the focus and stop at the edges", () => {
  const { made, key } = board();
  const places = ["ArrowLeft", "ArrowRight", "End", "ArrowRight", "ArrowDown", "ArrowDown", "Home", "PageUp"].map((name) => {
    assert.ok(key(name).defaultPrevented);
    return made.focused;
  });
  assert.deepEqual(places, [0, 1, 2, 2, 5, 5, 3, 0]);
  assert.deepEqual(made.cells.map((cell) => cell.tabIndex ?? -1), [0, -1, -1, -1, -1, -1]);
});

test("Space and Enter open, F flags, C opens around, and other keys are left to the page", () => {
  const { acts, key } = board();
  for (const name of [" ", "Enter", "f", "F", "c", "C"]) key(name);
  assert.deepEqual(acts.map(([action]) => action), ["open", "open", "flag", "flag", "chord", "chord"]);
  assert.ok(!key("x").defaultPrevented);
  key("f", { ctrlKey: true });
  assert.equal(acts.length, 6);
});

test("the page may use a key before the board does", () => {
  const used = [];
  const { acts, key } = board({ key: (event, cell) => used.push([event.key, cell]) && event.key === "f" });
  assert.ok(key("f").defaultPrevented);
  key("c");
  assert.deepEqual(used, [["f", 0], ["c", 0]]);
  assert.deepEqual(acts.map(([action]) => action), ["chord"]);
});

test("the cell under the pointer or the focus is inspected", () => {
  const { made, inspected } = board();
  made.cells[4].fire("pointerover");
  made.grid.fire("pointerleave");
  made.focus(3);
  assert.deepEqual(inspected, [4, null, 3]);
});

test("a board that cannot be played takes no click", () => {
  const { made, acts, key } = board({ act: null });
  made.cells[0].click(1);
  key(" ");
  assert.deepEqual(acts, []);
  assert.equal(made.grid.getAttribute("aria-readonly"), "true");
});

test("only cells that have changed are drawn again, with class, text, label and colour", () => {
  const { made, cells, draw } = board();
  cells[0].className = "untouched";
  draw("..3...");
  assert.equal(cells[0].className, "untouched");
  assert.deepEqual([cells[2].className, cells[2].textContent, cells[2].getAttribute("aria-label")], ["cell open c3", "3", "row 0, column 2: 3"]);
  made.draw({ rows: 2, cols: 3, shown: "..3...", odds: [0, 50, null, 100, 20, 20], background: 20 });
  assert.deepEqual([cells[0], cells[3]].map((cell) => cell.style.properties["--hue"]), ["145", "0"]);
  assert.ok(made.grid.style.properties["--background-hue"]);
  draw("..3...");
  assert.equal(cells[0].style.properties["--hue"], undefined);
});
