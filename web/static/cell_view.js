// The look of one cell: its class, text, heat-map hue, and a label for screen readers.

import { signOf } from "./hints.js";
import { REASON_MARKS, cellName, percent } from "./text.js";

const SAFE_HUE = 145;
const STATE_LABELS = { ".": "covered", F: "flagged", "*": "a mine that went off", "?": "open, its clue withheld" };
const HINT_LABELS = { proof: "certainly safe", guess: "the best guess", random: "random" };

// `board` is {rows, cols, shown, layout, hint, odds, frontier, proves, changed, missed}: `shown` has one character for
// each cell, `layout` is there only when the mines may be seen, `frontier` says for each cell whether it is next to a clue
// (the others have one and the same probability, `background`, which recedes), `proves` and `changed` are sets of cells, `missed` is a
// cell that was better than the next turn's. The Analysis page has `contradicts`, `best` and `advised`, sets of cells, and
// `pointed`, a cell; a finished game and a stored one have `lies`, the true numbers of cells that showed another.
export function cellView(board, i) {
  const { classes, text, label } = stateView(board, i);
  const view = { classes, text, hue: null, label };
  addOdds(view, board, i);
  if (board.hint) addHint(view, board.hint, board.shown[i], i);
  if (board.proves?.has(i)) {
    view.classes.push("proves");
    view.label += ", part of the proof";
  }
  if (board.missed === i) {
    view.classes.push("missed");
    view.label += ", it would have been better";
  }
  if (board.contradicts?.has(i)) {
    view.classes.push("contradicts");
    view.label += ", part of a contradiction";
  }
  if (board.best?.has(i)) {
    view.classes.push("best");
    view.label += ", the best cell by exact";
  }
  if (board.advised?.has(i)) {
    view.classes.push("advised");
    view.label += ", champion opens it";
  }
  if (board.pointed === i) view.classes.push("pointed");
  if (board.lies && i in board.lies) {
    view.classes.push(board.shown[i] === "?" ? "was-withheld" : "lied");
    view.truth = board.lies[i];
    view.label += board.shown[i] === "?" ? `, withheld: ${view.truth}` : `, a lie: the true number is ${view.truth}`;
  }
  if (board.changed?.has(i)) view.classes.push("changed");
  return {
    className: view.classes.join(" "),
    text: view.text,
    hue: view.hue,
    truth: view.truth,
    label: `${cellName(i, board.cols)}: ${view.label}`,
  };
}

// The cell as the game shows it, without hint and probability.
function stateView({ shown, layout }, i) {
  const code = shown[i];
  const isMine = layout ? layout[i] === "*" : null;
  const label = STATE_LABELS[code] ?? (code === "0" ? "blank" : code);
  if (code === "*") return { classes: ["cell", "detonated"], text: "", label };
  if (code === "?") return { classes: ["cell", "open"], text: "?", label };
  if (code === "0") return { classes: ["cell", "open"], text: "", label };
  if (code !== "." && code !== "F") return { classes: ["cell", "open", `c${code}`], text: code, label };
  const classes = code === "F" ? ["cell", "covered", "flag"] : ["cell", "covered"];
  if (code === "F" && isMine === true) return { classes: [...classes, "right"], text: "", label: "a right flag" };
  if (code === "F" && isMine === false) return { classes: [...classes, "wrong"], text: "", label: "a wrong flag" };
  if (isMine === true) return { classes: [...classes, "mine"], text: "", label: "a mine" };
  return { classes, text: "", label };
}

// The heat map: a hue for the mine probability, and the number on a covered cell.
function addOdds(view, { shown, layout, odds, frontier }, i) {
  const value = odds?.[i];
  if (value === null || value === undefined || layout || shown[i] === "*") return;
  if (frontier && !frontier[i] && shown[i] === "." && value > 0 && value < 100) {
    view.classes.push("heat", "background");
    view.label += ", not next to a clue";
    return;
  }
  view.hue = heatHue(value);
  view.classes.push("heat");
  if (shown[i] === ".") view.text = String(value === 0 || value === 100 ? value : Math.min(99, Math.max(1, Math.round(value))));
  const chance = percent(value);
  view.label += `${view.text && !chance.startsWith(view.text) ? `, ${view.text}` : ""}, a mine with ${chance}`;
}

// The hue of a mine probability in percent; the exponent makes a small risk visible.
export function heatHue(value) {
  return Math.round(SAFE_HUE * (1 - (value / 100) ** 0.55));
}

// For each cell whether it is next to a clue, and the probability of the covered cells that are not; undefined if
// every covered cell is.
export function frontierOf({ rows, cols, shown }, odds) {
  const frontier = new Uint8Array(rows * cols);
  for (let row = 0; row < rows; row += 1) {
    for (let col = 0; col < cols; col += 1) {
      const code = shown[row * cols + col];
      if (code < "0" || code > "8") continue;
      for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r += 1) {
        for (let c = Math.max(0, col - 1); c <= Math.min(cols - 1, col + 1); c += 1) frontier[r * cols + c] = 1;
      }
    }
  }
  const background = odds?.find((value, i) => !frontier[i] && shown[i] === "." && value > 0 && value < 100);
  return { frontier, background };
}

const CODES = ".F*?012345678";
const REASON_NUMBERS = { proof: 1, guess: 2, random: 3 };

// A number for each cell that is the same whenever `cellView` is: two boards are compared by it. Whatever `cellView` reads
// of a board has its bits here.
export function cellNumbers(board, length) {
  const { shown, layout, hint, odds, frontier, proves, changed, missed, contradicts, best, advised, pointed, lies } = board;
  const numbers = new Int32Array(length);
  for (let i = 0; i < length; i += 1) {
    const code = CODES.indexOf(shown[i]) + 1;
    const mine = layout ? (layout[i] === "*" ? 1 : 2) : 0;
    const value = odds?.[i];
    let heat = 0;
    if (value !== null && value !== undefined) {
      const recedes = frontier && !frontier[i] && value > 0 && value < 100;
      heat = recedes && code === 1 ? 1023 : Math.round(10 * value) + 1;
    }
    numbers[i] = code | (mine << 4) | (heat << 6);
  }
  const add = (cells, bit) => {
    for (const i of cells ?? []) numbers[i] |= 1 << bit;
  };
  if (hint) {
    for (const i of hint.opens) numbers[i] |= REASON_NUMBERS[hint.why] << 16;
    add(hint.safe, 30);
    add(hint.claimed, 31);
    add(hint.flags, 18);
    add(hint.unflags, 19);
    add(hint.wrong, 20);
    add(hint.conflicting, 21);
  }
  add(proves, 22);
  add(changed, 23);
  add(contradicts, 25);
  add(best, 26);
  add(advised, 27);
  add(Object.keys(lies ?? {}), 28);
  if (missed !== undefined && missed !== null) numbers[missed] |= 1 << 24;
  if (pointed !== undefined && pointed !== null) numbers[pointed] |= 1 << 29;
  return numbers;
}

function addHint(view, hint, code, i) {
  const sign = signOf(hint, code, i);
  if (sign === "open") {
    const mark = REASON_MARKS[hint.why];
    view.classes.push("hint", hint.why);
    const claimed = hint.claimed.has(i);
    if (claimed) view.classes.push("claimed");
    view.label += `, hint ${mark}: ${claimed ? "safe, says the agent" : HINT_LABELS[hint.why]}`;
    if (!view.text || hint.why === "proof") view.text = claimed ? `${mark}?` : mark; // else the text is the probability
  } else if (sign === "safe") {
    view.classes.push("safe-hint");
    view.label += `, hint ${REASON_MARKS.proof}: certainly safe`;
    view.text = REASON_MARKS.proof;
  } else if (sign === "flag") {
    view.classes.push("flag-hint");
    view.label += hint.claimed.has(i) ? ", hint: a mine, says the agent, flag it" : ", hint: certainly a mine, flag it";
  } else if (sign === "unflag") {
    view.classes.push("unflag-hint");
    if (hint.wrong.has(i)) view.label += ", the flag cannot be right";
    if (hint.unflags.has(i)) view.label += hint.wrong.has(i) ? ", hint: take it off" : ", hint: take the flag off";
  } else if (sign === "conflict") {
    view.classes.push("flag-conflict");
    view.label += ", this flag and others cannot all be right";
  }
}

// A number for each cell from the run-length encoding: value, count, value, count, ...
export function expandRuns(runs) {
  const values = [];
  for (let i = 0; i < runs.length; i += 2) for (let n = runs[i + 1]; n > 0; n -= 1) values.push(runs[i]);
  return values;
}
