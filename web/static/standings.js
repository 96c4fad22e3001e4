// The standings of a condition, sortable by any column.

import { h, svg } from "./dom.js";
import { number } from "./text.js";

// `pages` are the addresses of the agents' pages, by agent.
export function standingsTable(board, table, pages = {}) {
  const columns = tableColumns(board, table, pages);
  let sorted = columns[0];
  let descending = false;
  const head = h("tr", {});
  const body = h("tbody", {});
  const draw = () => {
    const order = (column) => (column === sorted ? (descending ? "descending" : "ascending") : null);
    head.replaceChildren(...columns.map((column) => headerCell(column, order(column), () => sort(column))));
    body.replaceChildren(...sortedLines(table.standings, sorted, descending).map((line) => tableRow(columns, line)));
  };
  const sort = (column) => {
    descending = column === sorted ? !descending : !column.ascending; // the best first
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

// The columns: `value(line)` to sort by, `cell(line)` to show, `ascending` if the lowest value comes first.
function tableColumns(board, table, pages) {
  const ranking = board.scores[0];
  const scores = board.scores.map((column) => ({
    name: column.name,
    ascending: !column.more_is_better,
    tooltip: `${column.name}${column.more_is_better ? "" : ": less is better"}, with its 95 % interval`,
    value: (line) => line.scores[column.name].mean ?? -Infinity,
    cell: (line) => interval(line.scores[column.name], column.name === ranking.name ? barScale(table, ranking) : null),
  }));
  return [
    { name: "rank", ascending: true, value: (line) => line.rank, cell: (line) => String(line.rank) },
    { name: "agent", ascending: true, text: true, value: (line) => line.agent, cell: (line) => agentCell(line.agent, pages) },
    ...scores,
    { name: "rating", tooltip: "Bradley-Terry, with its 95 % interval", value: (line) => line.rating.mean, cell: (line) => interval(line.rating, null, 0) },
    { name: "games", value: (line) => line.games, cell: (line) => line.games.toLocaleString("en") },
    { name: "faults", tooltip: "games that ended by a fault of the agent", value: (line) => line.faults, cell: (line) => line.faults.toLocaleString("en") },
    { name: "fallbacks", tooltip: "turns decided by a weaker reasoning", value: (line) => line.fallbacks, cell: (line) => line.fallbacks.toLocaleString("en") },
    { name: "missing", tooltip: "games without a measured score: the agent did not play the same game a second time", value: (line) => line.missing ?? 0, cell: (line) => (line.missing ?? 0).toLocaleString("en") },
  ].filter((c) => !["fallbacks", "missing"].includes(c.name) || table.standings.some((line) => line[c.name]));
}

function agentCell(agent, pages) {
  return pages[agent] ? h("a", { href: pages[agent] }, agent) : agent;
}

function headerCell(column, order, onclick) {
  const button = h("button", { type: "button", class: "sort", title: column.tooltip, onclick }, column.name);
  return h("th", { scope: "col", class: column.text ? "text" : "", "aria-sort": order }, button);
}

function tableRow(columns, line) {
  return h("tr", {}, columns.map((c) => h(c.text ? "th" : "td", { class: c.text ? "text" : "", scope: c.text ? "row" : null }, c.cell(line))));
}

function sortedLines(standings, column, descending) {
  const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
  const lines = standings.map((line, k) => [line, k]);
  lines.sort(([a, i], [b, k]) => (descending ? -1 : 1) * compare(column.value(a), column.value(b)) || i - k);
  return lines.map(([line]) => line);
}

function interval(value, scale, fixedDigits) {
  if (value.mean === null) return "–"; // the score was not measured
  const digits = fixedDigits ?? (Math.abs(value.high) >= 100 ? 1 : Math.abs(value.high) >= 10 ? 2 : 3);
  return [
    h("b", {}, number(value.mean, digits)),
    h("span", { class: "small muted range" }, ` ${number(value.low, digits)} to ${number(value.high, digits)}`),
    scale ? bar(value, scale) : null,
  ];
}

// The scale that the bars of a column share.
function barScale(table, column) {
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
    svg("rect", { class: "bar-background", x: 0, y: 3, width: 100, height: 2 }),
    svg("rect", { class: "bar-mean", x: Math.min(x(0), x(value.mean)), y: 2, width: Math.abs(x(value.mean) - x(0)), height: 4 }),
    svg("rect", { class: "bar-range", x: x(value.low), y: 0, width: Math.max(0.6, x(value.high) - x(value.low)), height: 8 }),
  );
}
