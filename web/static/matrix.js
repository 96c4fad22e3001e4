// Everybody against everybody, and the boards that decided it.

import { choice, field, h } from "./dom.js";
import { decisive, isSite } from "./source.js";
import { count, number } from "./words.js";

const CLEAR = 0.05;

export function matrix(overview, board, table) {
  const agents = table.standings.map((line) => line.agent);
  const score = board.scores[0];
  const found = new Map();
  for (const pair of table.pairs) {
    const { mean } = pair.difference;
    found.set(`${pair.first}|${pair.second}`, { ...pair, mean });
    found.set(`${pair.second}|${pair.first}`, { ...pair, mean: -mean, better: pair.worse, worse: pair.better });
  }
  const panel = h("div", { class: "deciders" });
  const cell = (row, col) => {
    const pair = found.get(`${row}|${col}`);
    if (!pair) return h("td", { class: "self", "aria-label": "the same agent" });
    const clear = pair.p_mean < CLEAR;
    const ahead = score.more_is_better ? pair.mean > 0 : pair.mean < 0;
    const side = !clear ? "" : ahead ? "ahead" : "behind";
    const words = `${row} against ${col}: better on ${pair.better}, equal on ${pair.equal}, worse on ${pair.worse} boards`;
    const sign = pair.mean > 0 ? "+" : "";
    return h(
      "td",
      { class: side },
      h(
        "button",
        { type: "button", title: `${words}; p = ${pair.p_mean.toPrecision(2)}`, onclick: () => deciders(panel, overview, table, row, col) },
        h("b", {}, `${sign}${number(pair.mean, 3)}${clear ? "*" : ""}`),
        h("span", { class: "small" }, `${pair.better} : ${pair.worse}`),
      ),
    );
  };
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

async function deciders(panel, overview, table, first, second) {
  const id = (label) => overview.agents.find((agent) => agent.label === label)?.id;
  const here = overview.conditions.find((c) => c.label === table.condition) ?? overview.conditions[0];
  const lists = h("div", { class: "lists" });
  const show = async (condition) => {
    lists.replaceChildren("Loading …");
    try {
      const all = await decisive(condition, id(first), id(second));
      const more = (boards) => (isSite ? `: ${boards.length ? boards.length : "none"} of them here` : `, the first ${boards.length}`);
      const head = (who, boards, total) => `${who} was better on ${count(total, "board")}${boards.length < total ? more(boards) : ""}`;
      const watchable = all.won.length + all.lost.length;
      const total = count(all.better + all.worse, "deciding board");
      lists.replaceChildren(
        isSite ? h("p", { class: "small muted" }, `${watchable.toLocaleString("en")} of ${total} can be watched here.`) : "",
        list(head(first, all.won, all.better), all.won, condition, id(first), id(second)),
        list(head(second, all.lost, all.worse), all.lost, condition, id(first), id(second)),
      );
    } catch (error) {
      lists.replaceChildren(error.message);
    }
  };
  const pick = choice(
    { name: "deciders", onchange: () => show(Number(pick.value)) },
    overview.conditions.map((c) => [c.id, c.label]),
    here.id,
  );
  const title = h("h3", { tabindex: "-1" }, `${first} against ${second}`);
  panel.replaceChildren(h("header", { class: "section-head" }, title, overview.conditions.length > 1 ? field("Condition", pick) : null), lists);
  title.focus();
  await show(here.id);
}

function list(words, boards, condition, first, second) {
  const link = ([board, mine, theirs]) => {
    const text = `board ${board}: ${number(mine, 2)} to ${number(theirs, 2)}`;
    const href = `#/watch?${new URLSearchParams({ condition, board, first, second })}`;
    return h("li", {}, h("a", { href }, text));
  };
  return h("div", {}, h("h4", {}, words), h("ul", { class: "boards" }, boards.map(link)));
}
