// The agents head to head, and the boards that decide between two of them.

import { pageLink } from "./address.js";
import { agentNames } from "./agent_mark.js";
import { fetchDecisive, isSite } from "./api.js";
import { joinDecisive } from "./decisive.js";
import { failure, field, h, select, wideTable } from "./dom.js";
import { conditionTitle, count, number, signed } from "./text.js";

const ALL = "all";

export class Matrix {
  // `pair` are the two agents whose boards are listed, or nulls; `choose(first, second)` is called when the person picks
  // two agents.
  constructor(overview, board, table, { pair, choose }) {
    this.overview = overview;
    this.board = board;
    this.table = table;
    this.choose = choose;
    this.panel = h("div", { class: "decisive-boards" });
    this.agents = table.standings.map((line) => line.agent);
    this.element = this.agents.length < 2 ? this.panel : this.draw();
    if (pair[0] && pair[1] && pair[0] !== pair[1]) this.showDecisive(...pair, false);
  }

  // One cell of the grid is in the order of the Tab key; the arrow keys move from there.
  draw() {
    const { agents } = this;
    const score = this.board.scores[0];
    const pairs = pairsByAgents(this.table);
    const name = agentNames(this.overview);
    this.heads = agents.map((agent) => h("th", { scope: "col" }, name(agent)));
    this.rows = agents.map((row) => {
      const cells = agents.map((col) => pairCell(score, pairs.get(`${row}|${col}`), row, col));
      return { cells, element: h("tr", {}, h("th", { scope: "row", class: "text" }, name(row)), cells) };
    });
    this.head = h("tr", {}, h("td", { class: "text" }), this.heads);
    this.body = h("tbody", {}, this.rows.map((row) => row.element));
    const table = h("table", { class: "matrix", role: "grid", "aria-label": "Head to head" }, h("thead", {}, this.head), this.body);
    this.shown = agents.map((_, k) => k);
    this.setStop(this.rows[0].cells[1]);
    table.addEventListener("click", (event) => this.open(event));
    table.addEventListener("keydown", (event) => this.key(event));
    return h(
      "section",
      { class: "card", "aria-label": "Head to head" },
      h("header", { class: "section-head" }, h("h2", {}, "Head to head")),
      wideTable("Head to head table", table),
      h(
        "p",
        { class: "small muted" },
        `The row's mean ${score.title} minus the column's on the same boards${score.percent ? ", in percentage points" : ""}, and on how many ` +
          "boards each was better. * significant after Holm's correction. Click for the boards that decided it, or move there with the arrow keys and press Enter.",
      ),
      this.panel,
    );
  }

  // Show the agents for which `isShown(agent)` is true.
  filter(isShown) {
    if (!this.rows) return;
    this.shown = this.agents.flatMap((agent, k) => (isShown(agent) ? [k] : []));
    const pick = (list) => this.shown.map((k) => list[k]);
    this.head.replaceChildren(this.head.firstElementChild, ...pick(this.heads));
    for (const { element, cells } of pick(this.rows)) element.replaceChildren(element.firstElementChild, ...pick(cells));
    this.body.replaceChildren(...pick(this.rows).map((row) => row.element));
    if (this.shown.length > 1) this.setStop(this.rows[this.shown[0]].cells[this.shown[1]]);
  }

  setStop(cell) {
    this.stop?.setAttribute("tabindex", "-1");
    this.stop = cell;
    cell.setAttribute("tabindex", "0");
  }

  // The cell of an event, and its place among the cells that are shown.
  at(event) {
    const cell = event.target.closest("td");
    const row = this.shown.findIndex((k) => this.rows[k].cells.includes(cell));
    return { cell, row, col: row < 0 ? -1 : this.shown.findIndex((k) => this.rows[this.shown[row]].cells[k] === cell) };
  }

  open(event) {
    const { cell, row, col } = this.at(event);
    if (row < 0 || row === col) return;
    this.setStop(cell);
    this.showDecisive(this.agents[this.shown[row]], this.agents[this.shown[col]], true);
  }

  key(event) {
    const { row, col } = this.at(event);
    if (row < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.shown.length - 1;
    const moves = { ArrowUp: [row - 1, col], ArrowDown: [row + 1, col], ArrowLeft: [row, col - 1], ArrowRight: [row, col + 1], Home: [row, 0], End: [row, last], PageUp: [0, col], PageDown: [last, col] };
    const to = moves[event.key];
    if (!to && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (!to) {
      this.open(event);
      return;
    }
    const [r, c] = to.map((k) => Math.max(0, Math.min(last, k)));
    const next = this.rows[this.shown[r]].cells[this.shown[c]];
    this.setStop(next);
    next.focus();
  }

  // List the boards that decide between two agents; `picked` says that the person has just chosen them.
  async showDecisive(first, second, picked) {
    const { overview, table, panel } = this;
    if (picked) this.choose(first, second);
    const { conditions } = overview;
    const id = (label) => overview.agents.find((agent) => agent.label === label)?.id;
    const lists = h("div", { class: "lists" });
    let asked = null; // the condition that was chosen last
    const show = async (chosen) => {
      asked = chosen;
      lists.replaceChildren("Loading …");
      const fetched = async (condition) => [condition.label, await fetchDecisive(condition.id, id(first), id(second))];
      let shown;
      try {
        const wanted = conditions.filter((condition) => chosen === ALL || String(condition.id) === chosen);
        shown = this.lists(joinDecisive(await Promise.all(wanted.map(fetched))), first, second, wanted.length > 1);
      } catch (error) {
        shown = [failure(error.message, () => show(chosen))];
      }
      if (asked === chosen) lists.replaceChildren(...shown);
    };
    const shown = conditions.find((c) => c.label === table.condition) ?? (conditions.length === 1 ? conditions[0] : null);
    const conditionSelect = select(
      { name: "decisive-condition", onchange: () => show(conditionSelect.value) },
      [[ALL, "all conditions"], ...conditions.map((c) => [c.id, c.title])],
      shown?.id ?? ALL,
    );
    const title = h("h3", { tabindex: "-1" }, `${first} against ${second}`);
    panel.replaceChildren(h("header", { class: "section-head" }, title, conditions.length > 1 ? field("Condition", conditionSelect) : null), lists);
    if (picked) title.focus();
    await show(conditionSelect.value);
  }

  // `named` says that the boards are of several conditions.
  lists(found, first, second, named) {
    const listed = (boards) => (isSite ? `: ${boards.length ? boards.length : "none"} of them here` : `, the first ${boards.length}`);
    const heading = (agent, boards, total) => `${agent} was better on ${count(total, "board")}${boards.length < total ? listed(boards) : ""}`;
    const watchable = found.won.length + found.lost.length;
    const total = count(found.better + found.worse, "deciding board");
    const { overview } = this;
    const link = ([condition, board, firstScore, secondScore]) => {
      const text = `${named ? `${conditionTitle(overview, condition)}, ` : ""}board ${board}: ${number(firstScore, 2)} to ${number(secondScore, 2)}`;
      return h("li", {}, overview.secret ? text : h("a", { href: pageLink("watch", { condition, board, first, second }) }, text));
    };
    const list = (title, boards) => h("div", {}, h("h4", {}, title), h("ul", { class: "boards" }, boards.map(link)));
    return [
      isSite ? h("p", { class: "small muted" }, `${watchable.toLocaleString("en")} of ${total} can be watched here.`) : "",
      list(heading(first, found.won, found.better), found.won),
      list(heading(second, found.lost, found.worse), found.lost),
    ];
  }
}

// Each pair of the table in both directions, by "row|column".
export function pairsByAgents(table) {
  const pairs = new Map();
  for (const pair of table.pairs) {
    const { mean } = pair.difference;
    pairs.set(`${pair.first}|${pair.second}`, { ...pair, mean });
    pairs.set(`${pair.second}|${pair.first}`, { ...pair, mean: -mean, better: pair.worse, worse: pair.better });
  }
  return pairs;
}

// The difference of two agents with its sign, a star if it is significant, and the side that is ahead.
export function differenceOf(score, pair) {
  const { significant } = pair;
  const ahead = score.more_is_better ? pair.mean > 0 : pair.mean < 0;
  const text = score.percent ? signed(score.scale * pair.mean, 1) : signed(pair.mean, 3);
  return { side: !significant ? "" : ahead ? "ahead" : "behind", text: `${text}${significant ? "*" : ""}` };
}

function pairCell(score, pair, row, col) {
  if (!pair) return h("td", { class: "self", tabindex: "-1" });
  const { side, text } = differenceOf(score, pair);
  const words = `${row} against ${col}: better on ${pair.better}, equal on ${pair.equal}, worse on ${pair.worse} boards`;
  return h("td", { class: `compared ${side}`, tabindex: "-1", title: `${words}; p = ${pair.p_mean.toPrecision(2)}` }, h("b", {}, text), h("span", { class: "small" }, `${pair.better} : ${pair.worse}`));
}
