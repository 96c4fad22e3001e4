// What turns and endings are called.

export const TAGS = { proof: "H", guess: "CG", random: "R" };
export const REASONS = { proof: "Proof", guess: "Calculated guess", random: "Random" };

export function count(n, one, many = `${one}s`) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

// Only what is certain reads 0 or 100.
export function percent(value) {
  if (value === 0 || value === 100) return `${value}\u00a0%`;
  return `${value < 10 || value > 90 ? value.toFixed(1) : Math.round(value)}\u00a0%`;
}

export function number(value, digits = 3) {
  return value.toFixed(digits).replace("-", "−");
}

export function place(cell, cols) {
  return `row ${Math.floor(cell / cols)}, column ${cell % cols}`;
}

// What is wrong with the flags, in sentences; empty if nothing is known to be.
export function doubts(flags, cols) {
  const places = (cells) => {
    const named = cells.slice(0, 4).map((cell) => place(cell, cols));
    if (cells.length > 4) named.push(`${cells.length - 4} more`);
    return named.length > 1 ? `${named.slice(0, -1).join("; ")} and ${named.at(-1)}` : named[0];
  };
  const parts = [];
  if (flags.wrong.length) parts.push(`The ${flags.wrong.length === 1 ? "flag" : "flags"} at ${places(flags.wrong)} cannot be right.`);
  if (flags.together.length === 1) parts.push(`The flag at ${places(flags.together)} cannot be right beside the others.`);
  else if (flags.together.length) parts.push(`The flags at ${places(flags.together)} cannot all be right.`);
  return parts.join(" ");
}

// The advice in a sentence for somebody who has never seen the page.
export function advice(turn, agent) {
  const lifted = turn.open.filter((cell) => turn.unflag.includes(cell)).length;
  const opens = turn.open.length - lifted;
  const flags = turn.flag.length;
  if (!turn.open.length && !flags && !turn.unflag.length) return `${agent} gives up here.`;
  if (!turn.open.length && !flags) return `${agent} takes ${count(turn.unflag.length, "flag")} off.`;
  const mines = flags
    ? `${count(flags, "cell")} with a dashed flag ${flags === 1 ? "is" : "are"} certainly ${flags === 1 ? "a mine" : "mines"}`
    : "";
  if (!turn.open.length) return `${mines}: click to flag.`;
  const under = lifted === 1 ? "The cell under the outlined flag" : `${lifted} cells under outlined flags`;
  if (turn.first_click_safe) {
    const where = lifted ? under : `the cell marked ${TAGS[turn.why]}`;
    return `The first click is safe by the rules. ${agent} would begin with ${where[0].toLowerCase()}${where.slice(1)}. Click it.`;
  }
  if (turn.why === "proof") {
    const safe = opens ? `${count(opens, "cell")} marked H ${opens === 1 ? "is" : "are"} certainly safe` : "";
    const more = lifted ? `${under} ${lifted === 1 ? "is" : "are"} certainly safe: take ${lifted === 1 ? "the flag" : "the flags"} off` : "";
    if (!safe) return `${more}${flags ? `, ${mines}` : ""}. Click ${lifted === 1 && !flags ? "it" : "them"}.`;
    const also = more ? ` ${more}.` : "";
    return flags ? `${safe}, ${mines}. Click them.${also}` : `${safe}: click ${opens === 1 ? "it" : "them"}.${also}`;
  }
  const which = lifted ? under : `The cell marked ${TAGS[turn.why]}`;
  if (turn.why === "guess" && turn.probability === 0) return `${which} is a good start and cannot be a mine. Click it.`;
  if (turn.why === "guess") {
    const risk = turn.probability === null ? "the least likely mine" : `a mine with ${percent(100 * turn.probability)}`;
    return `Nothing is certain. ${which} is the best guess: ${risk}. Click it.`;
  }
  const random = lifted ? "the cell under the outlined flag" : "the cell marked R";
  return `Nothing is certain for ${agent}. It would open ${random}, picked at random. Click it.`;
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
