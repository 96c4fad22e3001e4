// A hint: the turn that an agent would take, and the cells that are certain whatever the agent knows of them.

// A turn in the form in which boards draw it. `turn.certain` is what the exact engine is certain of, {safe, mines}; it
// outdoes what the agent believes. It is missing in stored games, and if the engine did not answer.
export function asHint(turn) {
  if (!turn) return null;
  const { certain, why } = turn;
  const safe = new Set(certain?.safe);
  const mines = new Set(certain?.mines);
  const opens = new Set(turn.open.filter((cell) => !mines.has(cell) && (why === "proof" || !safe.has(cell))));
  const flags = new Set([...turn.flag.filter((cell) => !safe.has(cell)), ...mines]);
  const unproven = certain ? [...(why === "proof" ? opens : []), ...flags].filter((cell) => !safe.has(cell) && !mines.has(cell)) : [];
  return {
    why,
    opens,
    safe,
    flags,
    claimed: new Set(unproven.filter((cell) => !turn.unflag.includes(cell))), // certain for the agent, not for the engine
    unflags: new Set(turn.unflag),
    wrong: new Set(turn.flags?.wrong),
    conflicting: new Set(turn.flags?.conflicting),
    evidence: turn.evidence ?? {},
  };
}

// What stays of a hint after a move, until the next hint is there: the cells that are certain. A mine stays a mine, and a
// safe cell safe, whatever has been opened since.
export function certainPart(hint) {
  if (!hint) return null;
  const proven = hint.why === "proof" ? [...hint.opens].filter((cell) => !hint.claimed.has(cell)) : [];
  return { ...hint, why: "proof", opens: new Set(proven), unflags: new Set(), wrong: new Set(), conflicting: new Set() };
}

// The sign that a hint puts on a cell: "open" for a cell of the agent's turn, "safe" for another that is certainly safe,
// "flag", "unflag", "conflict", or "" for none. `code` is the character of the cell.
export function signOf(hint, code, cell) {
  if (!hint) return "";
  if (code === ".") {
    if (hint.opens.has(cell)) return "open";
    if (hint.safe.has(cell)) return "safe";
    return hint.flags.has(cell) ? "flag" : "";
  }
  if (code !== "F") return "";
  if (hint.unflags.has(cell) || hint.wrong.has(cell)) return "unflag";
  return hint.conflicting.has(cell) ? "conflict" : "";
}
