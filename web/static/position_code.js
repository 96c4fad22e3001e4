// A position in an address: a letter for each run of equal cells, followed by its length if it is more than 1.

import { pageLink } from "./address.js";

const MARKS = "012345678.F*?";
const LETTERS = "abcdefghiCFXW"; // a to i clues, covered, flag, exploded mine, withheld clue
const BASE32 = "0123456789abcdefghijklmnopqrstuv";

// `marks` has one character for each cell, or is an array of them.
function encodeMarks(marks) {
  let code = "";
  for (let i = 0; i < marks.length; ) {
    let end = i + 1;
    while (end < marks.length && marks[end] === marks[i]) end += 1;
    code += LETTERS[MARKS.indexOf(marks[i])] + (end - i > 1 ? end - i : "");
    i = end;
  }
  return code;
}

// The text with one character for each of `length` cells; null if the code is not of this form or length.
export function decodeMarks(code, length) {
  if (!/^([a-iCFXW][0-9]{0,5})*$/.test(code)) return null;
  let marks = "";
  for (const [, letter, count] of code.matchAll(/([a-iCFXW])([0-9]*)/g)) {
    if (marks.length + Number(count || 1) > length) return null;
    marks += MARKS[LETTERS.indexOf(letter)].repeat(Number(count || 1));
  }
  return marks.length === length ? marks : null;
}

// The mines of a layout, five cells in a character of 0-9a-v, as board addresses have them.
export function encodeLayout(layout) {
  let code = "";
  for (let i = 0; i < layout.length; i += 5) {
    const bits = [0, 1, 2, 3, 4].map((k) => (layout[i + k] === "*" ? 1 : 0));
    code += BASE32[parseInt(bits.join(""), 2)];
  }
  return code;
}

// The layout with `*` for a mine and `.` for any other of `length` cells; null if the code has another form or length.
export function decodeLayout(code, length) {
  if (!/^[0-9a-v]*$/.test(code) || code.length !== Math.ceil(length / 5)) return null;
  const bits = [...code].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Array.from(bits.slice(0, length), (bit) => (bit === "1" ? "*" : ".")).join("");
}

// The parameters of the Analysis page for a position under rules, of which it has those that are words. Rules with the
// values of `usual` are null.
export function positionValues({ rows, cols, mines, shown, noise, layout }, rules, usual = {}) {
  const words = Object.entries(rules).filter(([, value]) => typeof value === "string");
  return {
    rows,
    cols,
    mines,
    cells: encodeMarks(shown),
    ...Object.fromEntries(words.map(([name, word]) => [name, word === usual[name] ? null : word])),
    noise: noise && noise !== "exact-clues" ? noise : null,
    layout: layout ? encodeLayout(layout) : null,
  };
}

// The part of an address of the Analysis page, on whatever server, that says what it shows; null for any other text.
export function analysisAddress(text) {
  return text.trim().match(/^(?:https?:\/\/[^\s#]*|file:\/\/[^\s#]*)?(#\/analysis\?[^\s]*)$/)?.[1] ?? null;
}

// The address of the Analysis page with a position under rules.
export function analysisLink(position, rules) {
  return pageLink("analysis", positionValues(position, rules));
}
