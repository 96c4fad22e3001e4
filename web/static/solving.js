// What the engine answers about a position, in the words of the command `solve`.

const FIRST_CLICK = "the first click is safe by the rules";

// The cells in percent: null for cells without a probability; only certain cells have 0 or 100.
export function percentages({ probability, certain }) {
  return Array.from(probability, (chance, cell) => {
    if (certain[cell]) return certain[cell] === 1 ? 0 : 100;
    return Number.isNaN(chance) ? null : Math.min(99.9, Math.max(0.1, Math.round(1000 * chance) / 10));
  });
}

// Probabilities, certain cells and best cell of a position whose flags are known mines, or what contradicts itself.
export function solvePosition(engine, position) {
  const found = engine.solve(position);
  const solution = { percent: percentages(found), status: found.status, first_click_safe: found.firstClickSafe };
  if (found.status === "inconsistent") {
    const wrong = engine.contradiction(position);
    const contradiction = { text: contradictionText(position, wrong), cells: wrong.cells };
    return { ...solution, contradiction, safe: [], mines: [], best: null, layouts: "" };
  }
  const { safe, mines, best } = found;
  return { ...solution, contradiction: null, safe, mines, best, layouts: layoutsText(position, found) };
}

// Why a certain cell is safe or a mine, and the clues that prove it.
export function proveCell(engine, position, { safe }, cell) {
  const isMine = !safe.includes(cell);
  const { clues, counted } = engine.proof(position, cell, isMine);
  const reasons = clues.map((clue) => clueText(position, clue));
  if (counted) reasons.push(countText(position));
  return { text: `${cellText(cell, position)} is ${isMine ? "a mine" : "safe"} because of ${listed(reasons)}`, clues };
}

export function firstClickText(position, cell) {
  return `${cellText(cell, position)} is safe if it is opened first: ${FIRST_CLICK}`;
}

function contradictionText(position, { cells, counted }) {
  const { shown, mines } = position;
  if (!cells.length) {
    const unknown = [...shown].filter((mark) => ".F*".includes(mark)).length;
    return `${mines} mines in all do not fit into the ${unknown} cells that are not open`;
  }
  const isClue = (cell) => shown[cell] !== "F" && shown[cell] !== "*";
  const clues = cells.filter(isClue);
  const known = cells.filter((cell) => !isClue(cell));
  const named = clues.map((cell) => clueText(position, cell));
  named.push(...known.map((cell) => `the ${shown[cell] === "F" ? "flag" : "mine that went off"} at ${cellText(cell, position)}`));
  if (counted) named.push(countText(position));
  if (named.length === 1) return `${named[0]} cannot be true`;
  return `these ${!known.length && !counted ? "clues " : ""}cannot all be true: ${listed(named)}`;
}

const countText = ({ mines }) => `the number of mines, ${mines} in all`;
const cellText = (cell, { cols }) => `(${Math.floor(cell / cols)}, ${cell % cols})`;
const listed = (names) => (names.length === 1 ? names[0] : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

function clueText(position, cell) {
  const mark = position.shown[cell];
  return `the ${mark === "?" ? "withheld clue" : mark} at ${cellText(cell, position)}`;
}

function layoutsText({ noise = "exact-clues" }, { logLayouts, status }) {
  const digits = logLayouts / Math.LN10;
  if (Number.isNaN(digits)) return "consistent layouts: none is dealt before the first click";
  if (noise !== "exact-clues") return `consistent layouts, each weighed by its likelihood: 10^${digits.toFixed(3)}`;
  const exponent = Math.floor(digits);
  const number = digits < 12 ? Math.round(10 ** digits).toLocaleString("en") : `${(10 ** (digits - exponent)).toFixed(3)}e${exponent}`;
  return `consistent layouts: ${status === "ok" ? "" : "about "}${number}`;
}
