// The rules in words.

export const ON_MINE = { end: "ends the game", continue: "goes off, play goes on" };
export const FIRST_CLICK = { any: "like any other", safe: "never a mine", opening: "always a blank" };

// Which rules differ between two positions, in a sentence; empty if none.
export function changedRules(before, after) {
  const parts = [];
  if (before.on_mine !== after.on_mine) parts.push(`a mine ${ON_MINE[after.on_mine]}`);
  if (before.first_click !== after.first_click) parts.push(`the first click is ${FIRST_CLICK[after.first_click]}`);
  if (before.noise !== after.noise) parts.push(`clues are ${after.noise === "exact-clues" ? "exact" : after.noise}`);
  return parts.length ? `The rules have changed: ${parts.join("; ")}.` : "";
}
