// Facts about a position that the browser computes itself.

// Whether a clue can open its neighbours: as many of them are flagged or detonated as it says, and some are covered.
export function canChord({ rows, cols, shown }, cell) {
  const row = Math.floor(cell / cols);
  const col = cell % cols;
  let known = 0;
  let covered = 0;
  for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r += 1) {
    for (let c = Math.max(0, col - 1); c <= Math.min(cols - 1, col + 1); c += 1) {
      const code = shown[r * cols + c];
      if (code === "F" || code === "*") known += 1;
      if (code === ".") covered += 1;
    }
  }
  return covered > 0 && String(known) === shown[cell];
}
