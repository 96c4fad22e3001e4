// Changes of a position in the editor. A position is {rows, cols, mines, shown, on_mine, first_click, noise, layout};
// each function returns a new one, or the same if nothing changes. `layout` is there if the mines are known.

// The cells next to a cell.
export function around({ rows, cols }, cell) {
  const row = Math.floor(cell / cols);
  const col = cell % cols;
  const cells = [];
  for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r += 1) {
    for (let c = Math.max(0, col - 1); c <= Math.min(cols - 1, col + 1); c += 1) {
      if (r !== row || c !== col) cells.push(r * cols + c);
    }
  }
  return cells;
}

const isClue = (mark) => mark >= "0" && mark <= "8";
const isKnownMine = (mark) => mark === "F" || mark === "*";

export function setMark(position, cell, mark) {
  if (position.shown[cell] === mark) return position;
  return { ...position, shown: position.shown.slice(0, cell) + mark + position.shown.slice(cell + 1) };
}

// A click: a covered cell is opened by the referee's rules if the mines are known, else it shows as many mines as are
// flagged around it; any other cell is covered. `engine` may be missing if the mines are not known.
export function toggleOpen(position, cell, engine) {
  if (position.shown[cell] !== ".") return setMark(position, cell, ".");
  if (position.layout) return { ...position, shown: engine.opened(position, cell) };
  const mines = around(position, cell).filter((other) => isKnownMine(position.shown[other])).length;
  return setMark(position, cell, String(mines));
}

export function toggleFlag(position, cell) {
  return setMark(position, cell, position.shown[cell] === "F" ? "." : "F");
}

// Raise or lower the clue of an open cell by one.
export function changeClue(position, cell, by) {
  const mark = position.shown[cell];
  if (!isClue(mark)) return position;
  const most = around(position, cell).length;
  return setMark(position, cell, String(Math.min(most, Math.max(0, Number(mark) + by))));
}

// The position on a board of another size: cells that both have stay as they are. The mines are no longer known.
export function resize(position, rows, cols) {
  if (rows === position.rows && cols === position.cols) return position;
  let shown = "";
  for (let row = 0; row < rows; row += 1) {
    const kept = row < position.rows ? position.shown.slice(row * position.cols, row * position.cols + Math.min(cols, position.cols)) : "";
    shown += kept.padEnd(cols, ".");
  }
  return { ...position, rows, cols, shown, mines: Math.min(position.mines, rows * cols), layout: null };
}

export function coverAll(position) {
  return { ...position, shown: ".".repeat(position.rows * position.cols) };
}

// The mark for a key on a cell; null for keys that the editor does not use.
export function markOfKey(key) {
  if (isClue(key) && key.length === 1) return key;
  return { ".": ".", Backspace: ".", Delete: ".", f: "F", F: "F", "?": "?", "*": "*" }[key] ?? null;
}
