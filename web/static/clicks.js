// What a click means. It depends on the cell as it was drawn when the pointer or the key went down, and on nothing else:
// not on a hint that has arrived since, nor on one that has been forgotten.

import { signOf } from "./hints.js";

// What is drawn on a cell of a board as `cellView` takes it: {code, sign}.
export function lookOf({ shown, hint }, cell) {
  return { code: shown[cell], sign: signOf(hint, shown[cell], cell) };
}

// The move that a click, a key or a long press asks for, by the look of its cell: open, flag, unflag or chord; null if
// it asks for no move. `action` is open, flag or chord; `flagging` says that the person has chosen clicks to set flags.
export function moveOf(action, { code, sign }, flagging = false) {
  if (code >= "1" && code <= "8") return "chord";
  if (action === "chord") return null;
  const wantsFlag = action === "flag" || flagging;
  if (code === ".") return wantsFlag || sign === "flag" ? "flag" : "open";
  return code === "F" && (wantsFlag || sign === "unflag") ? "unflag" : null;
}

// Whether a move is still possible in a game when its turn has come.
export function isPossible(move, game, cell) {
  if (move === "chord") return game.chord(cell) !== null;
  return game.shown[cell] === (move === "unflag" ? "F" : ".");
}
