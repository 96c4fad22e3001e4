// Leaderboard: who plays best, under which condition, and on which boards it was decided.

import { chart } from "./chart.js";
import { choice, field, h } from "./dom.js";
import { matrix } from "./matrix.js";
import { run } from "./source.js";
import { standingsTable } from "./standings.js";

export async function leaderboard(room, choices) {
  const overview = await run();
  const board = overview?.leaderboard;
  if (!board?.tables.length) {
    const why = overview
      ? "This run has no leaderboard yet: let it come to its end."
      : "No run is open. Start the server with one: sweepstakes serve runs/quick";
    room.replaceChildren(h("h1", {}, "Leaderboard"), h("p", { class: "notice" }, why));
    return;
  }
  const pick = choice(
    { name: "condition", onchange: () => draw() },
    board.tables.map((table, k) => [k, table.condition]),
    Math.max(0, board.tables.findIndex((table) => table.condition === choices.get("condition"))),
  );
  const parts = h("div", { class: "parts" });
  const score = choice(
    { name: "score", onchange: () => drawChart() },
    board.scores.map((column) => [column.name, column.name]),
    board.scores[0].name,
  );
  const picture = h("div", { class: "picture" });
  const drawChart = () => picture.replaceChildren(chart(overview, board, score.value));
  const draw = () => {
    const table = board.tables[Number(pick.value)];
    parts.replaceChildren(standingsTable(board, table), h("div", { class: "after" }, matrix(overview, board, table)));
  };
  room.replaceChildren(
    h("h1", {}, board.name),
    h("div", { class: "fields" }, board.tables.length > 1 ? field("Condition", pick) : null),
    parts,
    h(
      "section",
      { class: "card", "aria-label": "Scores by condition" },
      h("header", { class: "section-head" }, h("h2", {}, "Scores by condition"), field("Score", score)),
      picture,
    ),
    h("p", { class: "small muted" }, board.footnote),
  );
  draw();
  drawChart();
}
