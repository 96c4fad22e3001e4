// A game in numbers: how good it was, how lucky, and its worst clicks. The engine has computed all of them.

import { h } from "./dom.js";
import { cellName, count, number, percent, signed } from "./text.js";

const WORST = 3;

// `review` is that of `reviewGame`; `show(turn)` goes to the position before a turn, `tryAgain(turn)` plays on from there.
export function reviewSummary(review, cols, { show, tryAgain, cluesAt }) {
  const { clicks, accurate, survived, survivable, luck, chances } = review;
  const share = clicks ? percent((100 * accurate) / clicks, 0) : "–";
  const worst = review.turns
    .flatMap((turn) => turn.mistakes)
    .sort((a, b) => b.cost - a.cost)
    .slice(0, WORST);
  const entry = (title, value, text) => h("div", {}, h("dt", {}, title), h("dd", {}, h("b", {}, value), h("span", { class: "small muted" }, text)));
  const item = (mistake) =>
    h(
      "li",
      {},
      h("p", {}, h("b", { class: `label ${mistake.label.replaceAll(" ", "-")}` }, mistake.label), ` ${didText(mistake, cols)}${betterText(mistake, cols, cluesAt)}`),
      h(
        "span",
        { class: "own-links" },
        h("button", { type: "button", onclick: () => show(mistake.turn) }, `Show turn ${mistake.turn + 1}`),
        h("button", { type: "button", onclick: () => tryAgain(mistake.turn) }, "Try again from here"),
      ),
    );
  return h(
    "section",
    { class: "card review-summary", "aria-label": "The game in numbers" },
    h("h2", {}, "The game in numbers"),
    h(
      "dl",
      { class: "review-numbers" },
      entry("Accuracy", share, clicks ? `${accurate} of ${count(clicks, "click")} opened only cells that were as safe as possible` : "no click could be judged"),
      entry("Skill", percent(100 * survived), `the chance that your clicks survive; the safest cells would have survived with ${percent(100 * survivable)}`),
      entry("Luck", signed(luck), `games won: ${luckText(luck)}`),
      chances ? entry("Chance to win", percent(100 * chances[0], 0), `at the start, estimated for a good player; ${percent(100 * chances.at(-2), 0)} before the last turn`) : null,
    ),
    h("h2", {}, worst.length ? `The ${worst.length === 1 ? "worst click" : `${worst.length} worst clicks`}` : "No mistakes"),
    worst.length ? h("ol", { class: "worst" }, worst.map(item)) : h("p", {}, "Every cell that you opened was as safe as any other, and no flag was wrong."),
  );
}

function luckText(luck) {
  if (Number(number(luck, 2)) === 0) return "chance neither helped nor hurt";
  return luck > 0 ? "what chance added" : "what chance took away";
}

function didText({ action, cell, percent: risk }, cols) {
  const did = `${action === "flag" ? "Flagged" : "Opened"} ${cellName(cell, cols)}`;
  return risk === null ? did : `${did}, a mine with ${percent(risk)}`;
}

// The better cell and the reason.
function betterText({ best, least, clues, counted, turn }, cols, cluesAt) {
  if (best === null) return ".";
  if (least !== 0) return `; ${cellName(best, cols)} was a mine with only ${percent(least)}.`;
  const reasons = clues.map((clue) => `the ${cluesAt(turn, clue)} at ${cellName(clue, cols)}`);
  if (counted) reasons.push("the number of mines");
  const listed = reasons.length > 1 ? `${reasons.slice(0, -1).join(", ")} and ${reasons.at(-1)}` : reasons[0];
  return `; ${cellName(best, cols)} was certainly safe${listed ? `, because of ${listed}` : ""}.`;
}
