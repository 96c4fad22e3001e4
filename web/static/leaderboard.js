// Leaderboard: the standings of each condition, the agents head to head, and the scores by condition.

import { fetchRun } from "./api.js";
import { chart } from "./chart.js";
import { field, h, select } from "./dom.js";
import { matrix } from "./matrix.js";
import { standingsTable } from "./standings.js";

export async function leaderboard(container, params) {
  const overview = await fetchRun();
  const board = overview?.leaderboard;
  if (!board?.tables.length) {
    const notice = overview
      ? "This run has no leaderboard yet: the leaderboard is written when the run has ended."
      : "No run is open. Start the server with one: sweepstakes serve runs/quick";
    container.replaceChildren(h("h1", {}, "Leaderboard"), h("p", { class: "notice" }, notice));
    return;
  }
  const conditionSelect = select(
    { name: "condition", onchange: () => draw() },
    board.tables.map((table, k) => [k, table.condition]),
    Math.max(0, board.tables.findIndex((table) => table.condition === params.get("condition"))),
  );
  const tables = h("div", { class: "tables" });
  const scoreSelect = select(
    { name: "score", onchange: () => drawChart() },
    board.scores.map((column) => [column.name, column.name]),
    board.scores[0].name,
  );
  const chartFrame = h("div", { class: "chart-frame" });
  const drawChart = () => chartFrame.replaceChildren(chart(overview, board, scoreSelect.value));
  const draw = () => {
    const table = board.tables[Number(conditionSelect.value)];
    tables.replaceChildren(standingsTable(board, table, overview.pages), h("div", { class: "tables" }, matrix(overview, board, table)));
  };
  container.replaceChildren(
    h("h1", {}, board.name),
    h("div", { class: "fields" }, board.tables.length > 1 ? field("Condition", conditionSelect) : null),
    tables,
    h(
      "section",
      { class: "card", "aria-label": "Scores by condition" },
      h("header", { class: "section-head" }, h("h2", {}, "Scores by condition"), field("Score", scoreSelect)),
      chartFrame,
    ),
    h("p", { class: "small muted" }, board.footnote),
    ...(board.on_seed ? [h("p", { class: "small muted" }, board.on_seed)] : []),
  );
  draw();
  drawChart();
}
