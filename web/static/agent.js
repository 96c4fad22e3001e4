// Agent: what an agent is, its scores under every condition, and how it does against each of the others.

import { pageLink, shareButton } from "./address.js";
import { agentMark, agentNames } from "./agent_mark.js";
import { fetchRun, isSite } from "./api.js";
import { h, wideTable } from "./dom.js";
import { differenceOf, pairsByAgents } from "./matrix.js";
import { estimateText } from "./standings.js";
import { conditionTitle, count } from "./text.js";

export async function agentPage(container, params, address) {
  const overview = await fetchRun();
  const board = overview?.leaderboard;
  if (!board?.tables.length) {
    container.replaceChildren(h("h1", {}, "Agent"), h("p", { class: "notice" }, "There is no leaderboard with agents yet."));
    return;
  }
  const labels = board.tables[0].standings.map((line) => line.agent);
  const label = address.choice("name", labels, labels[0], "agent");
  const agent = overview.agents.find((one) => one.label === label);
  const line = board.tables[0].standings.find((one) => one.agent === label);
  const review = overview.pages?.[label];
  container.replaceChildren(
    h("header", { class: "section-head" }, h("h1", { class: "agent-name" }, agentMark(agent.look), label), shareButton()),
    address.notice(),
    h("p", {}, agent.about || "There is no description of this agent here."),
    agent.missing && !isSite ? h("p", { class: "notice missing" }, `${label} cannot be asked here: ${agent.missing}. The table has its results.`) : "",
    h("p", {}, `Rank ${line.rank} of ${count(labels.length, "agent")}; ${count(line.faults, "fault")} in ${count(line.games, "game")}.`),
    h("p", {}, h("a", { href: pageLink("leaderboard") }, "The leaderboard"), review ? [" · ", h("a", { href: review }, "Its decisions, judged one by one")] : null),
    byCondition(overview, board, label),
    against(overview, board, label),
  );
}

// Its scores under every condition.
function byCondition(overview, board, label) {
  const cell = (value, column) => {
    if (value.mean === null) return h("td", {}, "–");
    const [mean, range] = estimateText(value, column, column.percent ? 1 : 3);
    return h("td", {}, h("b", {}, mean), h("span", { class: "small muted range" }, range));
  };
  const row = (table) => {
    const line = table.standings.find((one) => one.agent === label);
    const link = h("a", { href: pageLink("leaderboard", { condition: table.condition }) }, conditionTitle(overview, table.condition));
    return h("tr", {}, h("th", { scope: "row", class: "text" }, link), h("td", {}, String(line.rank)), board.scores.map((column) => cell(line.scores[column.name], column)), h("td", {}, line.faults.toLocaleString("en")));
  };
  const heads = ["rank", ...board.scores.map((column) => column.head), "faults"];
  return h(
    "section",
    { class: "card", "aria-label": "By condition" },
    h("h2", {}, "By condition"),
    wideTable(
      "Scores by condition",
      h("table", { class: "standings" }, h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "text" }, "condition"), heads.map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, board.tables.map(row))),
    ),
  );
}

// Its differences from the other agents on the same boards, with links to the boards that decide.
function against(overview, board, label) {
  const [table] = board.tables;
  const pairs = pairsByAgents(table);
  const name = agentNames(overview);
  const score = board.scores[0];
  const row = ({ agent }) => {
    const pair = pairs.get(`${label}|${agent}`);
    if (!pair) return null;
    const { side, text } = differenceOf(score, pair);
    const boards = h("a", { href: pageLink("leaderboard", { first: label, second: agent }) }, "the boards that decide");
    return h("tr", {}, h("th", { scope: "row", class: "text" }, name(agent, pageLink("agent", { name: agent }))), h("td", { class: side }, text), h("td", {}, `${pair.better} : ${pair.equal} : ${pair.worse}`), h("td", { class: "text" }, boards));
  };
  const heads = [`difference of ${score.axis}`, "better : equal : worse", ""];
  return h(
    "section",
    { class: "card", "aria-label": "Against the others" },
    h("h2", {}, "Against the others, on the same boards"),
    wideTable(
      "Differences from the other agents",
      h("table", { class: "standings against" }, h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "text" }, "agent"), heads.map((text) => (text ? h("th", { scope: "col" }, text) : h("td", {}))))), h("tbody", {}, table.standings.map(row).filter(Boolean))),
    ),
    h("p", { class: "small muted" }, "* significant after Holm's correction."),
  );
}
