// The look of one cell: its class, text, corner mark, heat-map hue, and a label for screen readers.

import { REASON_MARKS, cellName, percent } from "./text.js";

const SAFE_HUE = 145;
const STATE_LABELS = { ".": "covered", F: "flagged", "*": "a mine that went off", "?": "open, its clue withheld" };
const HINT_LABELS = { proof: ", hint: certainly safe", guess: ", hint: the best guess", random: ", hint: random" };

// `board` is {rows, cols, shown, layout, hint, odds, proves, changed, missed}: `shown` has one character for each cell,
// `layout` is there only when the mines may be seen, `proves` and `changed` are sets of cells, `missed` is a cell that
// was better than the next turn's.
export function cellView(board, i) {
  const { classes, text, label } = stateView(board, i);
  const view = { classes, text, mark: "", hue: null, label };
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
  if (board.changed?.has(i)) view.classes.push("changed");
  return {
    className: view.classes.join(" "),
    text: view.text,
    mark: view.mark,
    hue: view.hue,
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
function addOdds(view, { shown, layout, odds }, i) {
  const value = odds?.[i];
  if (value === null || value === undefined || layout || shown[i] === "*") return;
  view.hue = Math.round(SAFE_HUE * (1 - (value / 100) ** 0.55)); // the exponent makes a small risk visible
  view.classes.push("heat");
  if (shown[i] === ".") view.text = String(value === 0 || value === 100 ? value : Math.min(99, Math.max(1, Math.round(value))));
  view.label += `, a mine with ${percent(value)}`;
}

function addHint(view, hint, code, i) {
  if (hint.opens.has(i) && code === ".") {
    const mark = REASON_MARKS[hint.why];
    view.classes.push("hint");
    view.label += HINT_LABELS[hint.why];
    if (!view.text || hint.why === "proof") view.text = mark; // else the text is the probability, the mark in the corner
    else view.mark = mark;
  } else if (hint.flags.has(i) && code === ".") {
    view.classes.push("flag-hint");
    view.label += ", hint: certainly a mine, flag it";
  } else if (hint.unflags.has(i) && code === "F") {
    view.classes.push("unflag-hint");
    view.label += hint.wrong.has(i) ? ", the flag cannot be right, hint: take it off" : ", hint: take the flag off";
  } else if (hint.wrong.has(i) && code === "F") {
    view.classes.push("unflag-hint");
    view.label += ", the flag cannot be right";
  } else if (hint.conflicting.has(i) && code === "F") {
    view.classes.push("flag-conflict");
    view.label += ", this flag and others cannot all be right";
  }
}

// A turn in the form that `cellView` takes as `hint`.
export function asHint(turn) {
  if (!turn) return null;
  return {
    why: turn.why,
    opens: new Set(turn.open),
    flags: new Set(turn.flag),
    unflags: new Set(turn.unflag),
    wrong: new Set(turn.flags?.wrong),
    conflicting: new Set(turn.flags?.conflicting),
    evidence: turn.evidence ?? {},
  };
}

// A number for each cell from the run-length encoding: value, count, value, count, ...
export function expandRuns(runs) {
  const values = [];
  for (let i = 0; i < runs.length; i += 2) for (let n = runs[i + 1]; n > 0; n -= 1) values.push(runs[i]);
  return values;
}
