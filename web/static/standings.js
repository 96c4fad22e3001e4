// The standings of a condition, sortable by any column, and what the columns mean.

import { agentNames } from "./agent_mark.js";
import { h, svg, wideTable } from "./dom.js";
import { conditionTitle, number } from "./text.js";

// The keys by which a table can be sorted.
export function sortKeys(overview, board) {
  return [...Object.keys(overview.columns), ...(board?.scores.map((column) => column.name) ?? [])];
}

// `sort` is {by, order}, `onsort(sort)` is called when the person sorts, `link(agent)` is the address of the agent's page.
// Returns the element, and a function `filter(shown)` that shows the agents for which `shown(agent)` is true.
export function standingsTable(overview, board, table, { sort, onsort, link }) {
  const columns = tableColumns(overview, board, table, link);
  const rows = new Map(table.standings.map((line) => [line.agent, tableRow(columns, line)]));
  const none = h("tr", {}, h("td", { colspan: columns.length, class: "text" }, "No agent matches the search."));
  let isShown = () => true;
  let sorted = columns.find((column) => column.name === sort.by) ?? columns[0];
  let up = sort.order === null ? Boolean(sorted.ascending) : sort.order === "up";
  const head = h("tr", {});
  const body = h("tbody", {});
  const drawHead = () => {
    const order = (column) => (column === sorted ? (up ? "ascending" : "descending") : null);
    head.replaceChildren(...columns.map((column) => headerCell(column, order(column), () => sortBy(column))));
  };
  const drawBody = () => {
    const lines = sortedLines(table.standings, sorted, up).filter((line) => isShown(line.agent));
    body.replaceChildren(...(lines.length ? lines.map((line) => rows.get(line.agent)) : [none]));
  };
  const filter = (shown) => {
    isShown = shown;
    drawBody();
  };
  const sortBy = (column) => {
    up = column === sorted ? !up : Boolean(column.ascending); // the best first
    sorted = column;
    drawHead();
    drawBody();
    onsort({ by: column.name, order: up ? "up" : "down" });
    head.querySelectorAll("button")[columns.indexOf(column)].focus();
  };
  drawHead();
  drawBody();
  const caption = `${conditionTitle(overview, table.condition)}: ${table.boards.toLocaleString("en")} boards${overview.progress.complete ? "" : " so far"}`;
  const common = overview.left_out ? `. Every agent is ${overview.left_out}` : "";
  const drawn = h("table", { class: "standings" }, h("caption", { class: "small muted" }, `${caption}${common}`), h("thead", {}, head), body);
  return { element: h("section", { class: "card", "aria-label": "Standings" }, wideTable("Standings table", drawn)), filter };
}

// What each column is, in a list that can be opened.
export function definitions(overview, board, table) {
  const columns = tableColumns(overview, board, table, () => null);
  return h(
    "details",
    { class: "definitions" },
    h("summary", {}, "What the columns mean"),
    h("dl", {}, columns.map((column) => [h("dt", {}, column.head), h("dd", {}, `${column.tooltip}.`)])),
    h("p", { class: "small muted" }, "The small numbers are 95 % intervals. Percentages of single games won are counted with Wilson's interval."),
  );
}

// The columns: `value(line)` to sort by, `cell(line)` to show, `ascending` if the lowest value comes first.
function tableColumns(overview, board, table, link) {
  const name = agentNames(overview);
  const ranking = board.scores[0];
  const scores = board.scores.map((column) => {
    const means = table.standings.map((line) => Math.abs(line.scores[column.name].mean ?? 0));
    const digits = column.percent ? 1 : Math.max(...means) >= 100 ? 1 : Math.max(...means) >= 10 ? 2 : 3;
    return {
      name: column.name,
      head: column.head,
      ascending: !column.more_is_better,
      tooltip: column.about ? `${column.title}: ${column.about}` : column.title,
      value: (line) => line.scores[column.name].mean ?? -Infinity,
      cell: (line) => estimate(line.scores[column.name], column, digits, column === ranking ? barScale(table, ranking) : null),
    };
  });
  const plain = (name, props) => ({ name, head: name, tooltip: overview.columns[name], ...props });
  const whole = (name, props) => plain(name, { value: (line) => line[name] ?? 0, cell: (line) => (line[name] ?? 0).toLocaleString("en"), ...props });
  const faults = whole("faults", { cell: (line) => (line.faults ? h("b", { class: "has-faults" }, line.faults.toLocaleString("en")) : "0") });
  const rest = Object.keys(overview.columns).filter((name) => !["rank", "agent", "rating", "games", "faults"].includes(name));
  return [
    plain("rank", { ascending: true, value: (line) => line.rank, cell: (line) => String(line.rank) }),
    plain("agent", { ascending: true, text: true, value: (line) => line.agent, cell: (line) => name(line.agent, link(line.agent)) }),
    ...scores.slice(0, 1).map((column) => ({ ...column, isRanking: true })),
    faults,
    plain("rating", { value: (line) => line.rating.mean, cell: (line) => estimate(line.rating, {}, 0, null) }),
    ...scores.slice(1),
    whole("games"),
    ...rest.filter((name) => table.standings.some((line) => line[name])).map((name) => whole(name)),
  ];
}

function headerCell(column, order, onclick) {
  const button = h("button", { type: "button", class: "sort", title: column.tooltip, onclick }, column.head);
  return h("th", { scope: "col", class: classOf(column), "aria-sort": order }, button);
}

function tableRow(columns, line) {
  return h("tr", {}, columns.map((c) => h(c.text ? "th" : "td", { class: classOf(c), scope: c.text ? "row" : null }, c.cell(line))));
}

// The style sheet keeps rank, agent and ranking score in sight.
function classOf(column) {
  return column.text ? "text" : column.name === "rank" ? "rank" : column.isRanking ? "ranking" : "";
}

function sortedLines(standings, column, up) {
  const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
  const lines = standings.map((line, k) => [line, k]);
  lines.sort(([a, i], [b, k]) => (up ? 1 : -1) * compare(column.value(a), column.value(b)) || i - k);
  return lines.map(([line]) => line);
}

// A mean with its interval, as the tables of the leaderboards write it: both ends for a rate, else half the width.
// Where every board has the same number, nothing is known of the width; a width that would be rounded to 0 is rounded up.
export function estimateText({ mean, low, high }, column, digits) {
  const by = column.scale ?? 1;
  const text = (v) => number(by * v, digits);
  if (column.proportion) return [text(mean), `${text(low)}–${text(high)}`];
  return [text(mean), high === low ? "" : `±\u00a0${number(Math.max(by * (mean - low), by * (high - mean), 10 ** -digits), digits)}`];
}

function estimate(value, column, digits, scale) {
  if (value.mean === null) return "–"; // the score was not measured
  const [mean, range] = estimateText(value, column, digits);
  return [h("b", {}, mean), h("span", { class: "small muted range" }, range), scale ? bar(value, scale) : null];
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
