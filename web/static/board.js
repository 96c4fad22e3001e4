// The board: a grid of cells for mouse, touch and keyboard. It redraws only the cells whose look has changed.

import { cellNumbers, cellView, heatHue } from "./cell_view.js";
import { lookOf } from "./clicks.js";
import { h } from "./dom.js";
import { around } from "./editing.js";

// Sizes of a cell in pixels. A cell is at least as wide as this if the person does not make it smaller: for a mouse, for
// a finger, and if it is only looked at.
const MIN_CELL = 18;
const MIN_TOUCH_CELL = 28;
const MIN_READ_ONLY_CELL = 13;
const MIN_ZOOMED_CELL = 4;
const MIN_CELL_WITH_TEXT = 13; // below this, cells, rows and columns have no numbers
const MAX_CELL = 56;
const EDGE = 16; // pixels of the numbers of rows and columns
const ENOUGH = 0.4; // of the height of the window
const BELOW = 36; // pixels under a board that are kept free where the page scrolls
// Boards of more cells are drawn without shadows.
const LARGE_BOARD = 2000;
// Milliseconds.
const LONG_PRESS = 450;
const AFTER_LONG_PRESS = 800; // clicks so soon after a long press belong to it

export class Board {
  // `act(action, cell, look)` is called with open, flag or chord, and the look of the cell when the pointer or the key went
  // down (see clicks.js); `inspect(cell or null)` with the cell under the pointer. `key(event, cell)` says whether it used
  // the key; the rest is as usual.
  constructor({ rows, cols, label, act, inspect, key }) {
    this.rows = rows;
    this.cols = cols;
    this.act = act ?? null;
    this.inspect = inspect ?? (() => {});
    this.useKey = key ?? (() => false);
    this.zoom = 1;
    this.focused = 0;
    this.drawn = new Int32Array(rows * cols).fill(-1); // the numbers of the cells, see cellNumbers
    this.cells = [];
    this.grid = h("div", {
      class: rows * cols > LARGE_BOARD ? "board large" : "board",
      role: "grid",
      "aria-label": label,
      "aria-rowcount": rows,
      "aria-colcount": cols,
      "aria-readonly": act ? null : "true",
    });
    const template = h("div", { class: "cell covered", role: "gridcell", tabindex: "-1" });
    for (let row = 0; row < rows; row += 1) {
      const line = h("div", { class: "board-row", role: "row" });
      for (let col = 0; col < cols; col += 1) {
        const cell = template.cloneNode(false);
        cell.dataset.i = this.cells.length;
        this.cells.push(cell);
        line.append(cell);
      }
      this.grid.append(line);
    }
    this.cells[0].tabIndex = 0;
    this.grid.style.setProperty("--cols", cols);
    const edge = (name, length) => h("div", { class: `edge ${name}`, "aria-hidden": "true" }, Array.from({ length }, (_, i) => h("span", {}, String(i))));
    this.plane = h("div", { class: "board-plane" }, h("div", { class: "edge corner" }), edge("columns", cols), edge("rows", rows), this.grid);
    this.element = h("div", { class: "board-frame" }, this.plane);
    this.listen();
    new ResizeObserver(() => this.fit()).observe(this.element);
  }

  // Choose the size of a cell so that the board fits into the space that is left for it, but cells stay readable and large
  // enough to hit.
  fit() {
    const width = this.element.clientWidth - EDGE - 4;
    if (width <= 0) return;
    const height = this.height() - EDGE - 4;
    const touch = matchMedia("(pointer: coarse)").matches ? MIN_TOUCH_CELL : MIN_CELL;
    const least = this.act ? touch : MIN_READ_ONLY_CELL;
    const fitting = Math.max(least, Math.min(MAX_CELL, Math.floor(height / this.rows), Math.floor(width / this.cols)));
    this.cellSize = Math.round(Math.max(MIN_ZOOMED_CELL, fitting * this.zoom));
    this.plane.style.setProperty("--cell", `${this.cellSize}px`);
    this.plane.classList.toggle("without-text", this.cellSize < MIN_CELL_WITH_TEXT);
    this.onfit?.();
  }

  // The height that is left: that of the frame if the page is a grid as high as the window, else down to the window's end.
  // Where little is left for a board that is only watched, it is as high as its frame, and the page is scrolled.
  height() {
    const style = getComputedStyle(this.element);
    if (style.getPropertyValue("--fills").trim()) return this.element.clientHeight;
    const left = innerHeight - this.element.getBoundingClientRect().top - scrollY - BELOW;
    return this.act || left > ENOUGH * innerHeight ? left : Math.max(left, parseFloat(style.maxHeight) || 0);
  }

  // The pixels before the first cell.
  get edge() {
    return this.cellSize < MIN_CELL_WITH_TEXT ? 0 : EDGE;
  }

  enlarge(factor) {
    this.zoom = Math.min(3, Math.max(0.2, this.zoom * factor));
    this.fit();
  }

  // `board` as `cellView` takes it.
  draw(board) {
    const numbers = cellNumbers(board, this.cells.length);
    for (let i = 0; i < numbers.length; i += 1) {
      if (numbers[i] === this.drawn[i]) continue;
      const view = cellView(board, i);
      const cell = this.cells[i];
      cell.className = view.className;
      if (cell.textContent !== view.text) cell.textContent = view.text;
      cell.setAttribute("aria-label", view.label);
      if (view.truth === undefined) delete cell.dataset.truth;
      else cell.dataset.truth = view.truth;
      if (view.hue === null) cell.style.removeProperty("--hue");
      else cell.style.setProperty("--hue", view.hue);
    }
    this.drawn = numbers;
    this.board = board;
    if (board.background !== undefined) this.grid.style.setProperty("--background-hue", heatHue(board.background));
  }

  // What is drawn on a cell at this moment.
  look(i) {
    return lookOf(this.board, i);
  }

  focus(i) {
    this.cells[this.focused].tabIndex = -1;
    this.focused = i;
    this.cells[i].tabIndex = 0;
    this.cells[i].focus();
  }

  listen() {
    const cellAt = (event) => {
      const cell = event.target.closest?.(".cell");
      return cell ? Number(cell.dataset.i) : null;
    };
    this.grid.addEventListener("pointerover", (event) => this.inspect(cellAt(event)));
    this.grid.addEventListener("pointerleave", () => this.inspect(null));
    this.grid.addEventListener("focusin", (event) => {
      const i = cellAt(event);
      if (i === null) return;
      this.cells[this.focused].tabIndex = -1;
      this.focused = i;
      this.cells[i].tabIndex = 0;
      this.inspect(i);
    });
    this.grid.addEventListener("keydown", (event) => this.key(event));
    if (this.act) this.listenToPointer(cellAt);
    else this.grid.addEventListener("mousedown", (event) => event.preventDefault()); // the page keeps the arrow keys
  }

  listenToPointer(cellAt) {
    let timer = 0;
    let longPressed = 0; // the time of the last long press
    let pressed = null; // [cell, look] when the pointer last went down
    const act = (action, i) => this.act(action, i, pressed?.[0] === i ? pressed[1] : this.look(i));
    this.grid.addEventListener("pointerdown", (event) => {
      const i = cellAt(event);
      pressed = i === null ? null : [i, this.look(i)];
      if (i !== null && event.button !== 2) this.press(i);
      if (event.pointerType === "mouse") return;
      timer = setTimeout(() => {
        longPressed = Date.now();
        if (i !== null) act("flag", i);
      }, LONG_PRESS);
    });
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) this.grid.addEventListener(end, () => this.press(null));
    for (const end of ["pointerup", "pointercancel", "pointermove"]) {
      this.grid.addEventListener(end, (event) => {
        if (end !== "pointermove" || Math.hypot(event.movementX, event.movementY) > 4) clearTimeout(timer);
      });
    }
    this.grid.addEventListener("keydown", () => {
      pressed = null; // what a key does, such as that of the menu, has nothing to do with the pointer
    });
    this.grid.addEventListener("click", (event) => {
      const i = cellAt(event);
      if (i === null || Date.now() - longPressed < AFTER_LONG_PRESS) return;
      if (!event.detail) pressed = null; // a click of a program, such as a screen reader, without a pointer
      // The second click of a double click does not open around the cell that the first one has opened.
      if (event.detail <= 1 || this.cells[i].classList.contains("covered")) act("open", i);
    });
    this.grid.addEventListener("contextmenu", (event) => {
      const i = cellAt(event);
      if (i === null) return;
      event.preventDefault();
      if (Date.now() - longPressed > AFTER_LONG_PRESS) act("flag", i);
    });
    this.grid.addEventListener("auxclick", (event) => {
      if (event.button === 1 && cellAt(event) !== null) act("chord", cellAt(event));
    });
    this.grid.addEventListener("mousedown", (event) => event.button === 1 && event.preventDefault());
  }

  // Show as pressed what the pointer holds down: a covered cell, or the covered cells around a clue. `null` for nothing.
  press(cell) {
    for (const each of this.held ?? []) each.classList.remove("pressed");
    const near = cell === null ? [] : /[1-8]/.test(this.board.shown[cell]) ? around(this, cell) : [cell];
    this.held = near.filter((i) => this.board.shown[i] === ".").map((i) => this.cells[i]);
    for (const each of this.held) each.classList.add("pressed");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.useKey(event, this.focused)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const row = Math.floor(this.focused / this.cols);
    const col = this.focused % this.cols;
    const target = {
      ArrowUp: [row - 1, col],
      ArrowDown: [row + 1, col],
      ArrowLeft: [row, col - 1],
      ArrowRight: [row, col + 1],
      Home: [row, 0],
      End: [row, this.cols - 1],
      PageUp: [Math.max(0, row - 10), col],
      PageDown: [Math.min(this.rows - 1, row + 10), col],
    }[event.key];
    if (target) {
      event.preventDefault();
      const [toRow, toCol] = target;
      if (toRow >= 0 && toRow < this.rows && toCol >= 0 && toCol < this.cols) this.focus(toRow * this.cols + toCol);
      return;
    }
    const action = { " ": "open", Enter: "open", f: "flag", F: "flag", c: "chord", C: "chord" }[event.key];
    if (action && this.act) {
      event.preventDefault();
      event.stopPropagation();
      this.act(action, this.focused, this.look(this.focused));
    }
  }
}
