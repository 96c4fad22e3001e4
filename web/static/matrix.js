// The agents head to head, and the boards that decide between two of them.

import { fetchDecisive, isSite } from "./api.js";
import { field, h, select } from "./dom.js";
import { count, number } from "./text.js";

const SIGNIFICANT = 0.05;

export function matrix(overview, board, table) {
  const agents = table.standings.map((line) => line.agent);
  const score = board.scores[0];
  const pairs = pairsByAgents(table);
  const panel = h("div", { class: "decisive-boards" });
  const cell = (row, col) =>
    pairCell(score, pairs.get(`${row}|${col}`), row, col, () => showDecisive(panel, overview, table, row, col));
  if (agents.length < 2) return panel;
  return h(
    "section",
    { class: "card", "aria-label": "Head to head" },
    h("header", { class: "section-head" }, h("h2", {}, "Head to head")),
    h(
      "div",
      { class: "wide", tabindex: "0", role: "region", "aria-label": "Head to head table" },
      h(
        "table",
        { class: "matrix" },
        h("thead", {}, h("tr", {}, h("td", {}), agents.map((agent) => h("th", { scope: "col" }, agent)))),
        h("tbody", {}, agents.map((row) => h("tr", {}, h("th", { scope: "row", class: "text" }, row), agents.map((col) => cell(row, col))))),
      ),
    ),
    h(
      "p",
      { class: "small muted" },
      `The row's mean ${score.name} minus the column's on the same boards, and on how many boards each was better. ` +
        "* significant after Holm's correction. Click for the boards that decided it.",
    ),
    panel,
  );
}

// Each pair of the table in both directions, by "row|column".
function pairsByAgents(table) {
  const pairs = new Map();
  for (const pair of table.pairs) {
    const { mean } = pair.difference;
    pairs.set(`${pair.first}|${pair.second}`, { ...pair, mean });
    pairs.set(`${pair.second}|${pair.first}`, { ...pair, mean: -mean, better: pair.worse, worse: pair.better });
  }
  return pairs;
}

function pairCell(score, pair, row, col, onclick) {
  if (!pair) return h("td", { class: "self", "aria-label": "the same agent" });
  const significant = pair.p_mean < SIGNIFICANT;
  const ahead = score.more_is_better ? pair.mean > 0 : pair.mean < 0;
  const side = !significant ? "" : ahead ? "ahead" : "behind";
  const text = `${row} against ${col}: better on ${pair.better}, equal on ${pair.equal}, worse on ${pair.worse} boards`;
  const sign = pair.mean > 0 ? "+" : "";
  return h(
    "td",
    { class: side },
    h(
      "button",
      { type: "button", title: `${text}; p = ${pair.p_mean.toPrecision(2)}`, onclick },
      h("b", {}, `${sign}${number(pair.mean, 3)}${significant ? "*" : ""}`),
      h("span", { class: "small" }, `${pair.better} : ${pair.worse}`),
    ),
  );
}

// Fill the panel with the boards that decide between two agents.
async function showDecisive(panel, overview, table, first, second) {
  const id = (label) => overview.agents.find((agent) => agent.label === label)?.id;
  const shown = overview.conditions.find((c) => c.label === table.condition) ?? overview.conditions[0];
  const lists = h("div", { class: "lists" });
  const show = async (condition) => {
    lists.replaceChildren("Loading …");
    try {
      const comparison = await fetchDecisive(condition, id(first), id(second));
      const listed = (boards) => (isSite ? `: ${boards.length ? boards.length : "none"} of them here` : `, the first ${boards.length}`);
      const heading = (agent, boards, total) => `${agent} was better on ${count(total, "board")}${boards.length < total ? listed(boards) : ""}`;
      const watchable = comparison.won.length + comparison.lost.length;
      const total = count(comparison.better + comparison.worse, "deciding board");
      lists.replaceChildren(
        isSite ? h("p", { class: "small muted" }, `${watchable.toLocaleString("en")} of ${total} can be watched here.`) : "",
        list(heading(first, comparison.won, comparison.better), comparison.won, condition, id(first), id(second)),
        list(heading(second, comparison.lost, comparison.worse), comparison.lost, condition, id(first), id(second)),
      );
    } catch (error) {
      lists.replaceChildren(error.message);
    }
  };
  const conditionSelect = select(
    { name: "decisive-condition", onchange: () => show(Number(conditionSelect.value)) },
    overview.conditions.map((c) => [c.id, c.label]),
    shown.id,
  );
  const title = h("h3", { tabindex: "-1" }, `${first} against ${second}`);
  panel.replaceChildren(h("header", { class: "section-head" }, title, overview.conditions.length > 1 ? field("Condition", conditionSelect) : null), lists);
  title.focus();
  await show(shown.id);
}

function list(heading, boards, condition, first, second) {
  const link = ([board, firstScore, secondScore]) => {
    const text = `board ${board}: ${number(firstScore, 2)} to ${number(secondScore, 2)}`;
    const href = `#/watch?${new URLSearchParams({ condition, board, first, second })}`;
    return h("li", {}, h("a", { href }, text));
  };
  return h("div", {}, h("h4", {}, heading), h("ul", { class: "boards" }, boards.map(link)));
}
