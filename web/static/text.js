// The texts of the pages: cells, hints, turns, results and numbers.

// The mark of each reason on the board and before a text; the legend explains the marks.
export const REASON_MARKS = { proof: "H", guess: "CG", random: "R" };
export const REASON_WORDS = { proof: "safe", guess: "guess", random: "random" };
export const REASONS = { proof: "Proof", guess: "Calculated guess", random: "Random" };

export function count(n, one, many = `${one}s`) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

// Only a certain cell reads 0 or 100.
export function percent(value) {
  if (value === 0 || value === 100) return `${value}\u00a0%`;
  return `${value < 10 || value > 90 ? value.toFixed(1) : Math.round(value)}\u00a0%`;
}

export function number(value, digits = 3) {
  return value.toFixed(digits).replace("-", "−");
}

export function cellName(cell, cols) {
  return `row ${Math.floor(cell / cols)}, column ${cell % cols}`;
}

// The flags that cannot be right, in sentences; empty if there are none.
export function flagWarning(flags, cols) {
  const cellNames = (cells) => {
    const names = cells.slice(0, 4).map((cell) => cellName(cell, cols));
    if (cells.length > 4) names.push(`${cells.length - 4} more`);
    return names.length > 1 ? `${names.slice(0, -1).join("; ")} and ${names.at(-1)}` : names[0];
  };
  const sentences = [];
  if (flags.wrong.length) sentences.push(`The ${flags.wrong.length === 1 ? "flag" : "flags"} at ${cellNames(flags.wrong)} cannot be right.`);
  if (flags.conflicting.length === 1) sentences.push(`The flag at ${cellNames(flags.conflicting)} cannot be right beside the others.`);
  else if (flags.conflicting.length) sentences.push(`The flags at ${cellNames(flags.conflicting)} cannot all be right.`);
  return sentences.join(" ");
}

// The hint in a sentence that a newcomer to the page understands.
export function hintText(turn, agent) {
  const underFlags = turn.open.filter((cell) => turn.unflag.includes(cell)).length;
  const opens = turn.open.length - underFlags;
  const flags = turn.flag.length;
  if (!turn.open.length && !flags && !turn.unflag.length) return `${agent} gives up here.`;
  if (!turn.open.length && !flags) return `${agent} takes ${count(turn.unflag.length, "flag")} off.`;
  const mines = flags
    ? `${count(flags, "cell")} with a dashed flag ${flags === 1 ? "is" : "are"} certainly ${flags === 1 ? "a mine" : "mines"}`
    : "";
  if (!turn.open.length) return `${mines}: click to flag.`;
  const flagged = underFlags === 1 ? "The cell under the outlined flag" : `${underFlags} cells under outlined flags`;
  if (turn.first_click_safe) {
    const start = underFlags ? flagged : `the cell marked ${REASON_MARKS[turn.why]}`;
    return `The first click is safe by the rules. ${agent} would begin with ${start[0].toLowerCase()}${start.slice(1)}. Click it.`;
  }
  if (turn.why === "proof") {
    const safe = opens ? `${count(opens, "cell")} marked H ${opens === 1 ? "is" : "are"} certainly safe` : "";
    const more = underFlags ? `${flagged} ${underFlags === 1 ? "is" : "are"} certainly safe: take ${underFlags === 1 ? "the flag" : "the flags"} off` : "";
    if (!safe) return `${more}${flags ? `, ${mines}` : ""}. Click ${underFlags === 1 && !flags ? "it" : "them"}.`;
    const rest = more ? ` ${more}.` : "";
    return flags ? `${safe}, ${mines}. Click them.${rest}` : `${safe}: click ${opens === 1 ? "it" : "them"}.${rest}`;
  }
  const cell = underFlags ? flagged : `The cell marked ${REASON_MARKS[turn.why]}`;
  if (turn.why === "guess" && turn.probability === 0) return `${cell} is a good start and cannot be a mine. Click it.`;
  if (turn.why === "guess") {
    const risk = turn.probability === null ? "the least likely mine" : `a mine with ${percent(100 * turn.probability)}`;
    return `Nothing is certain. ${cell} is the best guess: ${risk}. Click it.`;
  }
  const random = underFlags ? "the cell under the outlined flag" : "the cell marked R";
  return `Nothing is certain for ${agent}. It would open ${random}, picked at random. Click it.`;
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
  const identified = `${result.right_flags} of ${count(result.mines, "mine")} safely identified`;
  const wrong = result.wrong_flags ? `, ${count(result.wrong_flags, "wrong flag")}` : "";
  const detonated = result.detonated ? `, ${result.detonated} detonated` : "";
  const fault = result.fault ? ` ${result.fault}.` : "";
  const classic = rules?.on_mine === "end";
  const score = classic ? scores["safe-opened"] : scores.identified;
  const scoreText = score === undefined ? "" : ` Score ${number(score, 2)}`;
  const head = result.won ? "Won." : { lost: "Lost.", finished: "Finished." }[result.ending] ?? `Ended: ${result.ending}.`;
  if (classic) return `${head}${scoreText}${scoreText && " of the safe cells open"}${detonated}${wrong}.${fault}`.replace("..", ".");
  return `${head}${scoreText}${scoreText ? ": " : " "}${identified}${detonated}${wrong}.${fault}`;
}
