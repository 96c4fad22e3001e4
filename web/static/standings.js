// The table of a condition, sorted by whatever column one likes.

import { h, svg } from "./dom.js";
import { number } from "./words.js";

export function standingsTable(board, table) {
  const main = board.scores[0];
  const scores = board.scores.map((column) => ({
    name: column.name,
    less: !column.more_is_better,
    hint: `${column.name}${column.more_is_better ? "" : ": less is better"}, with its 95 % interval`,
    value: (line) => line.scores[column.name].mean ?? -Infinity,
    cell: (line) => interval(line.scores[column.name], column.name === main.name ? span(table, main) : null),
  }));
  const columns = [
    { name: "rank", less: true, value: (line) => line.rank, cell: (line) => String(line.rank) },
    { name: "agent", less: true, text: true, value: (line) => line.agent, cell: (line) => line.agent },
    ...scores,
    { name: "rating", hint: "Bradley-Terry, with its 95 % interval", value: (line) => line.rating.mean, cell: (line) => interval(line.rating, null, 0) },
    { name: "games", value: (line) => line.games, cell: (line) => line.games.toLocaleString("en") },
    { name: "faults", hint: "games broken off by the agent's own fault", value: (line) => line.faults, cell: (line) => line.faults.toLocaleString("en") },
    { name: "fallbacks", hint: "turns decided by a weaker reasoning", value: (line) => line.fallbacks, cell: (line) => line.fallbacks.toLocaleString("en") },
    { name: "missing", hint: "games whose second playing came to nothing: what it measures is missing", value: (line) => line.missing ?? 0, cell: (line) => (line.missing ?? 0).toLocaleString("en") },
  ].filter((c) => !["fallbacks", "missing"].includes(c.name) || table.standings.some((line) => line[c.name]));
  let sorted = columns[0];
  let down = false;
  const head = h("tr", {});
  const body = h("tbody", {});
  const draw = () => {
    head.replaceChildren(
      ...columns.map((column) =>
        h(
          "th",
          {
            scope: "col",
            class: column.text ? "text" : "",
            "aria-sort": column === sorted ? (down ? "descending" : "ascending") : null,
          },
          h("button", { type: "button", class: "sort", title: column.hint, onclick: () => sort(column) }, column.name),
        ),
      ),
    );
    const lines = table.standings.map((line, k) => [line, k]);
    const order = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
    lines.sort(([a, i], [b, k]) => (down ? -1 : 1) * order(sorted.value(a), sorted.value(b)) || i - k);
    body.replaceChildren(
      ...lines.map(([line]) =>
        h("tr", {}, columns.map((c) => h(c.text ? "th" : "td", { class: c.text ? "text" : "", scope: c.text ? "row" : null }, c.cell(line)))),
      ),
    );
  };
  const sort = (column) => {
    down = column === sorted ? !down : !column.less; // the best first
    sorted = column;
    draw();
    head.querySelectorAll("button")[columns.indexOf(column)].focus();
  };
  draw();
  return h(
    "section",
    { class: "card", "aria-label": "Standings" },
    h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Standings table" },
      h("table", { class: "standings" }, h("caption", { class: "small muted" }, `${table.condition}: ${table.boards.toLocaleString("en")} boards`), h("thead", {}, head), body)),
  );
}

function interval(value, range, given) {
  if (value.mean === null) return "–"; // nothing of it was measured
  const digits = given ?? (Math.abs(value.high) >= 100 ? 1 : Math.abs(value.high) >= 10 ? 2 : 3);
  return [
    h("b", {}, number(value.mean, digits)),
    h("span", { class: "small muted range" }, ` ${number(value.low, digits)} to ${number(value.high, digits)}`),
    range ? bar(value, range) : null,
  ];
}

// The scale that the bars of a column share.
function span(table, column) {
  const all = table.standings.map((line) => line.scores[column.name]);
  const low = Math.min(0, ...all.map((v) => v.low));
  const high = column.proportion ? 1 : Math.max(0, ...all.map((v) => v.high));
  return [low, high > low ? high : low + 1];
}

function bar(value, [low, high]) {
  const x = (v) => (100 * (v - low)) / (high - low);
  return svg(
    "svg",
    { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "bar-room", x: 0, y: 3, width: 100, height: 2 }),
    svg("rect", { class: "bar-mean", x: Math.min(x(0), x(value.mean)), y: 2, width: Math.abs(x(value.mean) - x(0)), height: 4 }),
    svg("rect", { class: "bar-range", x: x(value.low), y: 0, width: Math.max(0.6, x(value.high) - x(value.low)), height: 8 }),
  );
}
