// Games played elsewhere, in RAWVF, the text format of Minesweeper replays: the same as `tournaments/review/rawvf.py` reads.
// What the clicks do is decided by the engine (`playMouse`); here is only the text.

// What a mouse does and the options of a game, as numbers of `mouse_kernels.py`.
const BUTTONS = { lc: 0, sc: 1, lr: 2, rc: 3, rr: 4, mc: 5, mr: 6, mt: 7 };
const OPTIONS = { marks: 1, questionmarks: 1, superclick: 2, elmar: 4 };
const IGNORED = ["mv", "sx", "sy", "start", "won", "lost", "boom", "blast", "nonstandard", "solved"];
const UNSUPPORTED = ["nono", "superflag"];
const SQUARE = 16; // pixels of a cell, unless the file says otherwise
const MAX_SIDE = 100;
export const MAX_BYTES = 20_000_000;

const isOn = (value) => ["on", "1", "true"].includes((value ?? "").toLowerCase());
const quoted = (text) => `“${text.slice(0, 40)}”`;

// The text of a file as {rows, cols, mines, layout, events, times, options, head}. An Error says which line is wrong.
export function readRecording(text) {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
  const isHead = (line, name) => line.trim().toLowerCase() === `${name}:`;
  const board = lines.findIndex((line) => isHead(line, "board"));
  if (board < 0) throw new Error("There is no line “Board:”: expected a Minesweeper replay in the format RAWVF.");
  const below = lines.findIndex((line, k) => k > board && isHead(line, "events"));
  if (below < 0) throw new Error("There is no line “Events:” after the board.");
  const head = {};
  for (const line of lines.slice(0, board)) {
    const [name, ...value] = line.split(":");
    if (value.length) head[name.trim().toLowerCase().replaceAll(" ", "")] = value.join(":").trim();
  }
  const found = readBoard(lines, board + 1, below, head);
  const unsupported = UNSUPPORTED.find((name) => isOn(head[name]));
  if (unsupported) throw new Error(`${unsupported} is on: games with this option cannot be read.`);
  const options = Object.entries(OPTIONS).reduce((bits, [name, bit]) => (isOn(head[name]) ? bits | bit : bits), 0);
  return { ...found, ...readEvents(lines, below + 1, found, readSquare(head)), options, head };
}

function readBoard(lines, from, to, head) {
  const rows = [];
  for (let k = from; k < to; k += 1) {
    const row = lines[k].trim();
    if (!row) continue;
    const wrong = row.match(/[^*0]/);
    if (wrong) throw new Error(`Line ${k + 1}: ${quoted(wrong[0])} in the board: expected “*” for a mine or “0”.`);
    if (rows.length && row.length !== rows[0].length) throw new Error(`Line ${k + 1}: a row of ${row.length} cells: expected ${rows[0].length}, as above it.`);
    rows.push(row);
  }
  if (!rows.length) throw new Error("The board has no rows.");
  const layout = rows.join("").replaceAll("0", ".");
  const found = { rows: rows.length, cols: rows[0].length, mines: [...layout].filter((mark) => mark === "*").length, layout };
  if (Math.max(found.rows, found.cols) > MAX_SIDE) throw new Error(`A board of ${found.rows} x ${found.cols}: expected at most ${MAX_SIDE} rows and columns.`);
  for (const [name, number] of [["Width", found.cols], ["Height", found.rows], ["Mines", found.mines]]) {
    const stated = head[name.toLowerCase()];
    if (stated !== undefined && stated !== String(number)) throw new Error(`${name}: ${quoted(stated)}, but the board has ${number}.`);
  }
  return found;
}

function readSquare({ squaresize }) {
  if (squaresize === undefined) return null;
  if (!/^[1-9]\d{0,3}$/.test(squaresize)) throw new Error(`SquareSize: ${quoted(squaresize)}: expected a number of pixels.`);
  return Number(squaresize);
}

// What the mouse does and the cell below it, in turn. Lines that begin with a letter describe the board afterwards.
function readEvents(lines, from, board, square) {
  const events = [];
  const times = [];
  for (let k = from; k < lines.length; k += 1) {
    const line = lines[k].trim();
    if (!/^[-0-9]/.test(line)) continue;
    const found = line.match(/^(-?\d{1,9}(?:\.\d{1,9})?)\s+([a-z]{2,20})\b(.*)$/i);
    if (!found) throw new Error(`Line ${k + 1}: ${quoted(line)}: expected an event such as “1.25 lc 4 2 (51 19)”.`);
    const name = found[2].toLowerCase();
    if (IGNORED.includes(name)) continue;
    if (!(name in BUTTONS)) throw new Error(`Line ${k + 1}: unknown event ${quoted(name)}.`);
    events.push(BUTTONS[name], name === "mt" ? -1 : readCell(found[3], board, square, k + 1));
    times.push(Number(found[1]));
  }
  if (!events.length) throw new Error("There are no clicks after “Events:”.");
  return { events, times };
}

// The cell of an event, -1 beside the board. Column and row count from 1; some programs count them from 0, so the point in
// pixels decides where the file states the size of a cell.
function readCell(text, { rows, cols }, square, line) {
  const cell = text.match(/^\s*(-?\d{1,6})\s+(-?\d{1,6})\b/);
  const point = text.match(/\(\s*(-?\d{1,6})\s+(-?\d{1,6})\s*\)/);
  if (!cell && !point) throw new Error(`Line ${line}: expected column and row of the click, as in “1.25 lc 4 2 (51 19)”.`);
  const [, x, y] = cell ?? point;
  const [col, row] =
    point && (square !== null || !cell)
      ? [Math.floor(point[1] / (square ?? SQUARE)), Math.floor(point[2] / (square ?? SQUARE))]
      : [Number(x) - 1, Number(y) - 1];
  return row >= 0 && row < rows && col >= 0 && col < cols ? row * cols + col : -1;
}
