// What turns and endings are called.

export const TAGS = { proof: "H", guess: "CG", random: "R" };
export const REASONS = { proof: "Proof", guess: "Calculated guess", random: "Random" };

export function count(n, one, many = `${one}s`) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

// Only what is certain reads 0 or 100.
export function percent(value) {
  if (value === 0 || value === 100) return `${value} %`;
  return `${value < 10 || value > 90 ? value.toFixed(1) : Math.round(value)} %`;
}

export function number(value, digits = 3) {
  return value.toFixed(digits).replace("-", "−");
}

export function place(cell, cols) {
  return `row ${Math.floor(cell / cols) + 1}, column ${(cell % cols) + 1}`;
}

// The advice in a sentence for somebody who has never seen the page.
export function advice(turn, agent) {
  const opens = turn.open.length;
  const flags = turn.flag.length;
  if (!opens && !flags && !turn.unflag.length) return `${agent} gives up here.`;
  if (!opens && !flags) return `${agent} takes ${count(turn.unflag.length, "flag")} off.`;
  const mines = flags
    ? `${count(flags, "cell")} with a dashed flag ${flags === 1 ? "is" : "are"} certainly ${flags === 1 ? "a mine" : "mines"}`
    : "";
  if (!opens) return `${mines}: click to flag.`;
  if (turn.why === "proof") {
    const safe = `${count(opens, "cell")} marked H ${opens === 1 ? "is" : "are"} certainly safe`;
    return flags ? `${safe}, ${mines}. Click them.` : `${safe}: click ${opens === 1 ? "it" : "them"}.`;
  }
  if (turn.why === "guess" && turn.probability === 0) return "The cell marked CG is a good start and cannot be a mine. Click it.";
  if (turn.why === "guess") {
    const risk = turn.probability === null ? "the least likely mine" : `a mine with ${percent(100 * turn.probability)}`;
    return `Nothing is certain. The cell marked CG is the best guess: ${risk}. Click it.`;
  }
  return `Nothing is certain for ${agent}. It would open the cell marked R, picked at random. Click it.`;
}

// What a stored turn does, for the list beside the board.
export function deed(turn) {
  const parts = [];
  if (turn.unflag.length) parts.push(`unflags ${turn.unflag.length}`);
  if (turn.flag.length) parts.push(`flags ${turn.flag.length}`);
  if (turn.open.length) parts.push(`opens ${turn.open.length}`);
  return parts.join(", ") || "gives up";
}

// How a game ended, and what it is worth under its rules.
export function ending(result, scores, rules) {
  const found = `${result.right_flags} of ${count(result.mines, "mine")} safely identified`;
  const wrong = result.wrong_flags ? `, ${count(result.wrong_flags, "wrong flag")}` : "";
  const gone = result.detonated ? `, ${result.detonated} set off` : "";
  const fault = result.fault ? ` ${result.fault}.` : "";
  const classic = rules?.on_mine === "end";
  const score = classic ? scores["safe-opened"] : scores.identified;
  const worth = score === undefined ? "" : ` Score ${number(score, 2)}`;
  const head = result.won ? "Won." : { lost: "Lost.", finished: "Finished." }[result.ending] ?? `Ended: ${result.ending}.`;
  if (classic) return `${head}${worth}${worth && " of the safe cells open"}${gone}${wrong}.${fault}`.replace("..", ".");
  return `${head}${worth}${worth ? ": " : " "}${found}${gone}${wrong}.${fault}`;
}
