// The rules in words.

// Which rules differ between two positions, in a sentence; empty if no rule differs. `words` are those of the options.
export function changedRules(before, after, words) {
  const parts = Object.keys(words).flatMap((rule) => (before[rule] === after[rule] ? [] : [words[rule][after[rule]]]));
  if (before.noise !== after.noise) parts.push(`clues are ${after.noise === "exact-clues" ? "exact" : after.noise}`);
  return parts.length ? `The rules have changed: ${parts.join("; ")}.` : "";
}
