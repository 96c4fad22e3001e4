// The rules of a game: choices, titles and texts are those of the options, `{rules, defaults}`. Here is only how a kind of
// rule is read, shown and written: a word is a text, a flag true or false, a cell a flat index (in a state [row, col]) or null.

import { select } from "./dom.js";

// The number of the detonated mine that ends a game, or 0: as `Rules.last_mine`.
export function lastMine(rules) {
  return rules.on_mine === "end" ? 1 : 0;
}

// The names of the rules that are words. Forms show these; the others are in addresses only.
export function wordRules(rules) {
  return Object.keys(rules).filter((name) => rules[name].kind === "word");
}

// The values in a body or a position, with the defaults for those that it lacks.
export function fillRules(body, { rules, defaults }) {
  const fallback = (name) => (rules[name].kind === "flag" ? defaults[name] === "yes" : defaults[name]);
  return Object.fromEntries(Object.keys(rules).map((name) => [name, body[name] ?? fallback(name)]));
}

// The values of the rules `names` in an address, of a board with at most `cells` cells.
export function readRules(address, names, { rules, defaults }, cells = 0) {
  const read = (name) => {
    const { kind, phrases } = rules[name];
    if (kind === "cell") return address.whole(name, 0, cells - 1, defaults[name]);
    const word = address.choice(name, Object.keys(phrases), defaults[name]);
    return kind === "flag" ? word === "yes" : word;
  };
  return Object.fromEntries(names.map((name) => [name, read(name)]));
}

// The rules of a state, or of a condition, with cells as flat indices.
export function flatRules(rules, cols) {
  const flat = (value) => (Array.isArray(value) ? value[0] * cols + value[1] : value);
  return Object.fromEntries(Object.entries(rules).map(([name, value]) => [name, flat(value)]));
}

// The same as the values of an address.
export function addressRules(rules, cols) {
  const word = (value) => (typeof value === "boolean" ? (value ? "yes" : "no") : value);
  return Object.fromEntries(Object.entries(flatRules(rules, cols)).map(([name, value]) => [name, word(value)]));
}

// The form's input for each rule that is a word, by name.
export function ruleInputs(rules, chosen) {
  return Object.fromEntries(wordRules(rules).map((name) => [name, select({ name }, Object.entries(rules[name].phrases), chosen[name])]));
}

// The values that a person has chosen in such inputs.
export function chosenRules(inputs) {
  return Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value]));
}

// Which rules differ between two positions, in a sentence; empty if no rule differs.
export function changedRules(before, after, rules) {
  const parts = wordRules(rules).flatMap((name) => (before[name] === after[name] ? [] : [rules[name].phrases[after[name]]]));
  if (before.noise !== after.noise) parts.push(`clues are ${after.noise === "exact-clues" ? "exact" : after.noise}`);
  return parts.length ? `The rules have changed: ${parts.join("; ")}.` : "";
}
