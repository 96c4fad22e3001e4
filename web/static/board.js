// The board: a grid of cells that mouse, touch and keyboard reach. It redraws only cells that look different.

import { h } from "./dom.js";
import { face } from "./cell_view.js";

const LEAST = 22;
const MOST = 56;
const EASY = 30;
const LARGE = 2000;
const LONG_PRESS = 450;

export class Board {
  // `act(verb, cell)` is called with open, flag or chord; `inspect(cell or null)` with the cell under the pointer.
  constructor({ rows, cols, label, act, inspect }) {
    this.rows = rows;
    this.cols = cols;
    this.act = act ?? null;
    this.inspect = inspect ?? (() => {});
    this.zoom = 1;
    this.focused = 0;
    this.keys = new Array(rows * cols).fill("");
    this.cells = [];
    this.grid = h("div", {
      class: rows * cols > LARGE ? "board large" : "board",
      role: "grid",
      "aria-label": label,
      "aria-rowcount": rows,
      "aria-colcount": cols,
      "aria-readonly": act ? null : "true",
    });
    const model = h("div", { class: "cell covered", role: "gridcell", tabindex: "-1" });
    for (let row = 0; row < rows; row += 1) {
      const line = h("div", { class: "board-row", role: "row" });
      for (let col = 0; col < cols; col += 1) {
        const cell = model.cloneNode(false);
        cell.dataset.i = this.cells.length;
        this.cells.push(cell);
        line.append(cell);
      }
      this.grid.append(line);
    }
    this.cells[0].tabIndex = 0;
    this.grid.style.setProperty("--cols", cols);
    this.element = h("div", { class: "board-frame" }, this.grid);
    this.listen();
    new ResizeObserver(() => this.fit()).observe(this.element);
  }

  // Choose the size of a cell so that the board fits, within what can be read and hit.
  fit() {
    const room = this.element.clientWidth - 2;
    if (room <= 0) return;
    const tall = Math.max(EASY, Math.floor((innerHeight - 300) / this.rows));
    const size = Math.max(LEAST, Math.min(MOST, tall, Math.floor(room / this.cols))) * this.zoom;
    this.grid.style.setProperty("--cell", `${Math.round(size)}px`);
  }

  enlarge(factor) {
    this.zoom = Math.min(2, Math.max(0.5, this.zoom * factor));
    this.fit();
  }

  draw(scene) {
    for (let i = 0; i < this.cells.length; i += 1) {
      const look = face(scene, i);
      const key = `${look.name}|${look.text}|${look.tag}|${look.hue}`;
      if (key === this.keys[i]) continue;
      this.keys[i] = key;
      const cell = this.cells[i];
      cell.className = look.name;
      cell.textContent = look.text;
      cell.setAttribute("aria-label", look.label);
      if (look.tag) cell.dataset.tag = look.tag;
      else delete cell.dataset.tag;
      if (look.hue === null) cell.style.removeProperty("--hue");
      else cell.style.setProperty("--hue", look.hue);
    }
  }

  focus(i) {
    this.cells[this.focused].tabIndex = -1;
    this.focused = i;
    this.cells[i].tabIndex = 0;
    this.cells[i].focus();
  }

  listen() {
    const at = (event) => {
      const cell = event.target.closest?.(".cell");
      return cell ? Number(cell.dataset.i) : null;
    };
    this.grid.addEventListener("pointerover", (event) => this.inspect(at(event)));
    this.grid.addEventListener("pointerleave", () => this.inspect(null));
    this.grid.addEventListener("focusin", (event) => {
      const i = at(event);
      if (i === null) return;
      this.cells[this.focused].tabIndex = -1;
      this.focused = i;
      this.cells[i].tabIndex = 0;
      this.inspect(i);
    });
    this.grid.addEventListener("keydown", (event) => this.key(event));
    if (this.act) this.listenToPointer(at);
  }

  listenToPointer(at) {
    let timer = 0;
    let pressed = 0;
    let opened = null;
    this.grid.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse") return;
      const i = at(event);
      timer = setTimeout(() => {
        pressed = Date.now();
        if (i !== null) this.act("flag", i);
      }, LONG_PRESS);
    });
    for (const end of ["pointerup", "pointercancel", "pointermove"]) {
      this.grid.addEventListener(end, (event) => {
        if (end !== "pointermove" || Math.hypot(event.movementX, event.movementY) > 4) clearTimeout(timer);
      });
    }
    this.grid.addEventListener("click", (event) => {
      const i = at(event);
      if (i === null || Date.now() - pressed < 800) return;
      if (event.detail <= 1) opened = this.cells[i].classList.contains("covered") ? i : null;
      if (event.detail <= 1 || this.cells[i].classList.contains("covered")) this.act("open", i);
    });
    this.grid.addEventListener("contextmenu", (event) => {
      const i = at(event);
      if (i === null) return;
      event.preventDefault();
      if (Date.now() - pressed > 800) this.act("flag", i);
    });
    this.grid.addEventListener("auxclick", (event) => {
      if (event.button === 1 && at(event) !== null) this.act("chord", at(event));
    });
    this.grid.addEventListener("mousedown", (event) => event.button === 1 && event.preventDefault());
    this.grid.addEventListener("dblclick", (event) => {
      const i = at(event);
      if (i !== null && i !== opened) this.act("chord", i);
    });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = Math.floor(this.focused / this.cols);
    const col = this.focused % this.cols;
    const to = {
      ArrowUp: [row - 1, col],
      ArrowDown: [row + 1, col],
      ArrowLeft: [row, col - 1],
      ArrowRight: [row, col + 1],
      Home: [row, 0],
      End: [row, this.cols - 1],
      PageUp: [Math.max(0, row - 10), col],
      PageDown: [Math.min(this.rows - 1, row + 10), col],
    }[event.key];
    if (to) {
      event.preventDefault();
      if (to[0] >= 0 && to[0] < this.rows && to[1] >= 0 && to[1] < this.cols) this.focus(to[0] * this.cols + to[1]);
      return;
    }
    const verb = { " ": "open", Enter: "open", f: "flag", F: "flag", c: "chord", C: "chord" }[event.key];
    if (verb && this.act) {
      event.preventDefault();
      event.stopPropagation();
      this.act(verb, this.focused);
    }
  }
}
