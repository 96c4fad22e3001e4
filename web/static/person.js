// A person's games on the boards of a run: which board a game is, and the person among the agents.

import { pageLink } from "./address.js";
import { fetchPerson, fetchRun } from "./api.js";
import { h } from "./dom.js";
import { differenceOf } from "./matrix.js";
import { estimateText } from "./standings.js";
import { count } from "./text.js";

const MAX_SIDE = 100; // rows and columns of a game in a page

// The address that deals board `number` of a condition; null if the page cannot.
export function boardLink(condition, number) {
  const { seed, source, rows, cols, mines, rules, noise } = condition;
  if (seed === null || source !== "uniform" || Math.max(rows, cols) > MAX_SIDE) return null;
  return pageLink("play", {
    rows, cols, mines, seed, number, noise,
    on_mine: rules.on_mine,
    first_click: rules.first_click,
    flood: rules.flood ? "yes" : "no",
    start: rules.start ? rules.start[0] * cols + rules.start[1] : null,
  }); // prettier-ignore
}

// The condition of the run whose board a game is; undefined if the run does not have it.
export function conditionOf(overview, state) {
  const same = (condition) =>
    ["rows", "cols", "mines", "source", "noise"].every((key) => condition[key] === state[key]) &&
    String(condition.seed) === String(state.seed) &&
    state.number < condition.boards &&
    ["on_mine", "first_click", "flood"].every((key) => condition.rules[key] === state.rules[key]) &&
    String(condition.rules.start) === String(state.rules.start);
  return overview?.conditions.find(same);
}

// Keep a finished game if its board is one of the run's; the answer is a sentence with links, or null.
export async function keepGame(state, turns) {
  const overview = await fetchRun();
  const condition = conditionOf(overview, state);
  if (!condition || state.result.gave_up) return null;
  const helped = state.with_hints + state.with_odds + state.undone > 0 || state.clicks < state.turns;
  const found = await fetchPerson({ condition: condition.id, number: state.number, helped, turns });
  if (!found) return null;
  const { next, lines } = found.conditions[condition.id];
  const you = lines.find((line) => line.you);
  const place = you ? `You are rank ${you.rank} of ${count(lines.length, "player")} on the boards that you have played.` : "Kept.";
  const link = next === null ? null : boardLink(condition, next);
  return [place, " ", h("a", { href: pageLink("leaderboard") }, "You among the agents"), link ? [" · ", h("a", { href: link }, "Next board")] : null];
}

// The section of the leaderboard for a condition; `person` is null on a static site.
export function personSection(overview, board, condition, person) {
  const found = person?.conditions[condition.id];
  const link = boardLink(condition, found?.next ?? 0);
  const [score] = board.scores;
  const play = link && found?.next !== null ? h("a", { class: "button", href: link }, found?.games ? "Play the next board" : "Play these boards yourself") : null;
  const parts = [];
  if (found?.lines.length) {
    parts.push(h("p", { class: "small muted" }, `${condition.title}: your first games without help, on ${count(found.boards, "board")} that all have played.`), standings(found, score));
  } else if (found?.games) parts.push(h("p", {}, `${count(found.games, "game")} kept: the agents have not played these boards yet, or their score is not measured for you.`));
  else if (found) parts.push(h("p", {}, "Play the same boards as the agents, without hints: this table then shows your rank, with its interval, and how you do against each of them."));
  else parts.push(h("p", {}, "Play the same boards as the agents. Your rank among them needs sweepstakes serve."));
  if (found?.helped.games) {
    const [mean, range] = estimateText(found.helped, score, score.proportion ? 1 : 3);
    parts.push(h("p", { class: "small" }, `With hints, probabilities or Undo, which count apart: ${count(found.helped.games, "game")}, ${score.head} ${mean} ${range}`));
  }
  return h("section", { class: "card you", "aria-label": "You among the agents" }, h("header", { class: "section-head" }, h("h2", {}, "You among the agents"), play), parts);
}

function standings({ lines }, score) {
  const row = (line) => {
    const [mean, range] = estimateText(line, score, score.proportion ? 1 : 3);
    const versus = line.you ? ["", ""] : [differenceOf(score, { mean: line.difference.mean, significant: line.significant }).text, `${line.better} : ${line.equal} : ${line.worse}`];
    return h("tr", { class: line.you ? "is-you" : "" }, h("td", {}, String(line.rank)), h("th", { scope: "row", class: "text" }, line.agent), h("td", {}, h("b", {}, mean), " ", h("span", { class: "small muted" }, range)), versus.map((text) => h("td", {}, text)));
  };
  const heads = ["rank", "agent", score.head, "you minus it", "better : equal : worse"];
  return h(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": "You among the agents, as a table" },
    h("table", { class: "standings" }, h("thead", {}, h("tr", {}, heads.map((text) => h("th", { scope: "col", class: text === "agent" ? "text" : "" }, text)))), h("tbody", {}, lines.map(row))),
    h("p", { class: "small muted" }, "* significant after Holm's correction over all pairs."),
  );
}
