// The texts of the pages: cells, hints, turns, results and numbers.

import { lastMine } from "./rules.js";

// The mark of each reason on the board and before a text; the legend explains the marks.
export const REASON_MARKS = { proof: "H", guess: "CG", random: "R" };
export const REASON_WORDS = { proof: "safe", guess: "guess", random: "random" };
export const REASONS = { proof: "Proof", guess: "Calculated guess", random: "Random" };

export function count(n, one, many = `${one}s`) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

// A probability in percent. Only what is certain reads 0 or 100: anything else is rounded, but never to them.
export function percent(value, digits = value < 10 || value > 90 ? 1 : 0) {
  if (value === 0 || value === 100) return `${value}\u00a0%`;
  const least = 10 ** -digits;
  if (value < least / 2) return `less than ${least}\u00a0%`;
  if (value >= 100 - least / 2) return `more than ${(100 - least).toFixed(digits)}\u00a0%`;
  return `${value.toFixed(digits)}\u00a0%`;
}

// A number with `digits` decimals, rounded as in the tables of the Python package (`rounded` in tables.py): ties go to the
// even number, and there is no -0.
export function number(value, digits = 3) {
  const halves = value * 2 ** (digits + 1);
  const isTie = Number.isInteger(halves) && halves % 2 !== 0;
  const below = Math.floor(value * 10 ** digits);
  const text = isTie ? ((below + (below % 2 === 0 ? 0 : 1)) / 10 ** digits).toFixed(digits) : value.toFixed(digits);
  const [whole, ...rest] = text.split(".");
  const grouped = [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...rest].join(".");
  return Number(text) === 0 ? grouped.replace("-", "") : grouped.replace("-", "−");
}

// The same with a sign, unless it is 0.
export function signed(value, digits = 2) {
  const text = number(value, digits);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

export function cellName(cell, cols) {
  return `row ${Math.floor(cell / cols)}, column ${cell % cols}`;
}

// The flags that cannot be right, in sentences; empty if all flags may be right.
export function flagWarning(flags, cols) {
  const cellNames = (cells) => {
    const names = cells.slice(0, 4).map((cell) => cellName(cell, cols));
    if (cells.length > 4) names.push(`${cells.length - 4} more`);
    return names.length > 1 ? `${names.slice(0, -1).join("; ")} and ${names.at(-1)}` : names[0];
  };
  const sentences = [];
  if (flags.wrong.length) sentences.push(`The ${flags.wrong.length === 1 ? "flag" : "flags"} at ${cellNames(flags.wrong)} cannot be right.`);
  if (flags.conflicting.length === 1) sentences.push(`The flag at ${cellNames(flags.conflicting)} cannot be right together with the others.`);
  else if (flags.conflicting.length) sentences.push(`The flags at ${cellNames(flags.conflicting)} cannot all be right.`);
  return sentences.join(" ");
}

// The mine probability that all cells share which are not next to a clue.
export function backgroundText(percentage) {
  return `Each cell away from the clues is a mine with probability ${percent(percentage)}.`;
}

// A condition in words, by its label. A table of all conditions has no condition, and keeps its name.
export function conditionTitle(overview, label) {
  return overview.conditions.find((condition) => condition.label === label)?.title ?? label;
}

// The agents as options of a select; those that cannot be asked are disabled.
export function agentOptions(agents) {
  return agents.map(({ name, missing }) => [name, missing ? `${name} (${/serve/.test(missing) ? "needs a server" : "cannot be asked"})` : name, Boolean(missing)]);
}

// The number of cells that a turn opens and flags, for the list of turns.
export function turnText(turn) {
  const parts = [];
  if (turn.unflag.length) parts.push(`unflags ${turn.unflag.length}`);
  if (turn.flag.length) parts.push(`flags ${turn.flag.length}`);
  if (turn.open.length) parts.push(`opens ${turn.open.length}`);
  return parts.join(", ") || "gives up";
}

// The ending of a game, and its score under its rules.
export function resultText(result, scores, rules) {
  const isClassic = rules && lastMine(rules) === 1;
  const score = isClassic ? scores["safe-opened"] : scores.identified;
  const scoreText = score === undefined ? "" : `Score ${number(score, 2)}`;
  const identified = `${result.right_flags} of ${count(result.mines, "mine")} safely identified`;
  const details = [
    isClassic ? scoreText && `${scoreText} of the safe cells open` : [scoreText, identified].filter(Boolean).join(": "),
    result.detonated ? `${result.detonated} detonated` : "",
    result.wrong_flags ? count(result.wrong_flags, "wrong flag") : "",
  ].filter(Boolean);
  const head = result.won ? "Won." : { lost: "Lost.", finished: "Finished." }[result.ending] ?? `Ended: ${result.ending}.`;
  return [head, details.length ? `${details.join(", ")}.` : "", result.fault ? `${result.fault}.` : ""].filter(Boolean).join(" ");
}
