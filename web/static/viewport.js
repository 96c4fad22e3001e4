// The visible part of a board that is larger than its frame: it follows the acting cells, scrolls with other boards, and
// has an overview map.

import { h } from "./dom.js";

const MAP_SIZE = 120; // the longer side of the map in pixels
const MARGIN = 1.5; // cells between an acting cell and the edge of the frame

// The colour of each code on the map, by the name of a variable of the style sheet; any clue is open.
const COLOURS = { ".": "--covered", F: "--flag", "*": "--detonated", open: "--open", acting: "--hint" };

export class Viewport {
  // `board` is a Board, `scrolled(viewport)` is called when the person scrolls it.
  constructor(board, scrolled) {
    this.board = board;
    this.frame = board.element;
    this.scrolled = scrolled;
    this.expected = null; // the position to which `follow` or `moveTo` scrolled
    this.canvas = h("canvas", { width: board.cols, height: board.rows, class: "map-canvas" });
    const scale = MAP_SIZE / Math.max(board.rows, board.cols);
    this.canvas.style.width = `${Math.round(board.cols * scale)}px`;
    this.canvas.style.height = `${Math.round(board.rows * scale)}px`;
    this.window = h("div", { class: "map-window" });
    this.map = h("div", { class: "map", hidden: true, "aria-hidden": "true", title: "Overview: click to scroll" }, this.canvas, this.window);
    this.frame.addEventListener("scroll", () => this.onScroll());
    this.map.addEventListener("pointerdown", (event) => this.drag(event));
    this.map.addEventListener("pointermove", (event) => event.buttons && this.drag(event));
    board.onfit = () => this.update();
  }

  // Whether the board is larger than its frame.
  get overflows() {
    return this.frame.scrollWidth > this.frame.clientWidth + 2 || this.frame.scrollHeight > this.frame.clientHeight + 2;
  }

  update() {
    this.map.hidden = !this.overflows;
    this.drawWindow();
    this.onchange?.();
  }

  onScroll() {
    this.drawWindow();
    const { scrollLeft, scrollTop } = this.frame;
    const isOwn = this.expected && Math.abs(this.expected[0] - scrollLeft) < 2 && Math.abs(this.expected[1] - scrollTop) < 2;
    this.expected = null;
    if (!isOwn) this.scrolled(this);
  }

  moveTo(left, top) {
    const { frame } = this;
    const x = Math.round(Math.max(0, Math.min(frame.scrollWidth - frame.clientWidth, left)));
    const y = Math.round(Math.max(0, Math.min(frame.scrollHeight - frame.clientHeight, top)));
    if (Math.abs(x - frame.scrollLeft) < 1 && Math.abs(y - frame.scrollTop) < 1) return;
    this.expected = [x, y];
    frame.scrollTo(x, y);
  }

  // Scroll so that the first of these cells is visible, if it is not.
  follow(cells) {
    if (!cells.length || !this.overflows) return;
    const { frame, board } = this;
    const size = board.cellSize;
    const x = board.edge + (cells[0] % board.cols) * size;
    const y = board.edge + Math.floor(cells[0] / board.cols) * size;
    const margin = MARGIN * size;
    const inside = (at, start, length) => at - margin >= start && at + size + margin <= start + length;
    const left = inside(x, frame.scrollLeft, frame.clientWidth) ? frame.scrollLeft : x + size / 2 - frame.clientWidth / 2;
    const top = inside(y, frame.scrollTop, frame.clientHeight) ? frame.scrollTop : y + size / 2 - frame.clientHeight / 2;
    this.moveTo(left, top);
  }

  drag(event) {
    const box = this.canvas.getBoundingClientRect();
    const { frame } = this;
    const x = ((event.clientX - box.left) / box.width) * frame.scrollWidth - frame.clientWidth / 2;
    const y = ((event.clientY - box.top) / box.height) * frame.scrollHeight - frame.clientHeight / 2;
    this.moveTo(x, y);
    this.scrolled(this);
  }

  drawWindow() {
    if (this.map.hidden) return;
    const { frame } = this;
    const percent = (value, whole) => `${(100 * value) / Math.max(1, whole)}%`;
    this.window.style.left = percent(frame.scrollLeft, frame.scrollWidth);
    this.window.style.top = percent(frame.scrollTop, frame.scrollHeight);
    this.window.style.width = percent(frame.clientWidth, frame.scrollWidth);
    this.window.style.height = percent(frame.clientHeight, frame.scrollHeight);
  }

  // Draw the position and the acting cells on the map.
  draw(shown, acting) {
    if (this.map.hidden) return;
    const context = this.canvas.getContext("2d", { willReadFrequently: true });
    const palette = this.palette(context);
    const image = context.createImageData(this.board.cols, this.board.rows);
    const pixels = new Uint32Array(image.data.buffer);
    for (let i = 0; i < pixels.length; i += 1) pixels[i] = palette[shown[i]] ?? palette.open;
    for (const i of acting) pixels[i] = palette.acting;
    context.putImageData(image, 0, 0);
  }

  // The colours of the style sheet as pixels.
  palette(context) {
    const style = getComputedStyle(this.frame);
    const scheme = style.getPropertyValue("--covered");
    if (scheme === this.scheme) return this.pixels;
    this.scheme = scheme;
    this.pixels = {};
    for (const [code, name] of Object.entries(COLOURS)) {
      context.fillStyle = style.getPropertyValue(name).trim();
      context.fillRect(0, 0, 1, 1);
      [this.pixels[code]] = new Uint32Array(context.getImageData(0, 0, 1, 1).data.buffer);
    }
    return this.pixels;
  }
}
