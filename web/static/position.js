// What follows from a position without asking anybody.

// Whether as many neighbours are flagged or gone off as the clue says, and some are still covered.
export function canChord({ rows, cols, shown }, cell) {
  const row = Math.floor(cell / cols);
  const col = cell % cols;
  let known = 0;
  let covered = 0;
  for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r += 1) {
    for (let c = Math.max(0, col - 1); c <= Math.min(cols - 1, col + 1); c += 1) {
      const mark = shown[r * cols + c];
      if (mark === "F" || mark === "*") known += 1;
      if (mark === ".") covered += 1;
    }
  }
  return covered > 0 && String(known) === shown[cell];
}
