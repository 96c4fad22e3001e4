// A position as text: a line `rows cols mines`, which may name rules and noise, then the rows of the board.

import { wordRules } from "./rules.js";

const MARKS = ".F*?012345678";

// A position, with the rules that its text states and no others; or a whole board, of `*` and `.` only, which has a
// `layout`. `mines` is for a text that does not state the number; `rules` are those of the options. An Error says what
// is wrong.
export function readPosition(text, mines, { largest, rules }) {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
  if (!lines.length) throw new Error("There is nothing to read: expected rows of a position, or an address with a board.");
  const hasHead = lines[0].split(/\s+/).length > 1;
  const head = hasHead ? readHead(lines.shift(), rules) : { stated: {} };
  const [rows, cols] = [lines.length, lines[0]?.length ?? 0];
  if (!rows) throw new Error("The position has no rows.");
  if (hasHead && (head.rows !== rows || head.cols !== cols)) {
    throw new Error(`The first line says ${head.rows} x ${head.cols}, the rows below it are ${rows} x ${cols}.`);
  }
  if (Math.max(rows, cols) > largest) throw new Error(`A board of ${rows} x ${cols}: expected at most ${largest} rows and columns.`);
  lines.forEach((line, k) => {
    if (line.length !== cols) throw new Error(`Row ${k + 1} of the position has ${line.length} cells, expected ${cols}.`);
    const wrong = [...line].find((mark) => !MARKS.includes(mark));
    if (wrong) throw new Error(`Row ${k + 1} of the position has '${wrong}': expected '.' covered, a digit, 'F' flag, '*' detonated or '?' withheld.`);
  });
  const shown = lines.join("");
  if (!hasHead && !/[^*.]/.test(shown)) {
    return { rows, cols, mines: [...shown].filter((mark) => mark === "*").length, shown: ".".repeat(shown.length), layout: shown };
  }
  const total = hasHead ? head.mines : mines;
  if (!(total <= rows * cols)) throw new Error(`${total} mines on ${rows} x ${cols}: expected 0 to ${rows * cols}.`);
  return { rows, cols, mines: total, shown, ...head.stated };
}

function readHead(line, rules) {
  const found = line.match(/^(\d{1,8})\s+(\d{1,8})\s+(\d{1,8})(?:\s+(.*))?$/);
  if (!found) throw new Error(`The position begins with “${line.slice(0, 60)}”: expected \`rows cols mines\`.`);
  const [options, noise] = ` ${found[4] ?? ""}`.split(" noise=");
  const stated = {};
  for (const word of options.split(/\s+/).filter(Boolean)) {
    const [key, value] = word.split("=");
    const known = Object.keys(rules);
    if (!known.includes(key) || value === undefined) throw new Error(`“${word}” in the first line: expected ${known.join("=, ")}= or noise=.`);
    const { kind, phrases } = rules[key];
    if (kind !== "word") continue; // the Analysis page does not have it
    if (!(value in phrases)) throw new Error(`${key}=${value}: expected ${Object.keys(phrases).join(" or ")}.`);
    stated[key] = value;
  }
  // A line that states rules states the noise too: exact clues have no name.
  if (Object.keys(stated).length || noise) stated.noise = noise?.trim() || "exact-clues";
  return { rows: Number(found[1]), cols: Number(found[2]), mines: Number(found[3]), stated };
}

export function writePosition({ rows, cols, mines, shown, noise, ...position }, { rules }) {
  const words = wordRules(rules).map((name) => ` ${name}=${position[name]}`);
  const head = `${rows} ${cols} ${mines}${words.join("")}${noise === "exact-clues" ? "" : ` noise=${noise}`}`;
  const lines = Array.from({ length: rows }, (_, row) => shown.slice(row * cols, (row + 1) * cols));
  return `${[head, ...lines].join("\n")}\n`;
}
