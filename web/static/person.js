// A person's games on the boards of a run: which board a game is, and the person among the agents.

import { pageLink } from "./address.js";
import { fetchRun } from "./api.js";
import { failure, h, wideTable } from "./dom.js";
import { loadEngine } from "./engine_source.js";
import { differenceOf } from "./matrix.js";
import { keepOwnGame } from "./own_games.js";
import { addressRules } from "./rules.js";
import { estimateText } from "./standings.js";
import { count } from "./text.js";

const MAX_SIDE = 100; // rows and columns of a game in a page

// The address that deals board `number` of a condition; null if the page cannot.
export function boardLink(condition, number) {
  const { seed, source, rows, cols, mines, rules, noise } = condition;
  if (seed === null || source !== "uniform" || Math.max(rows, cols) > MAX_SIDE) return null;
  return pageLink("play", {
    rows, cols, mines, seed, number, noise, ...addressRules(rules, cols),
  }); // prettier-ignore
}

// The condition of the run whose board a game is; undefined if the run does not have it.
export function conditionOf(overview, state) {
  const same = (condition) =>
    ["rows", "cols", "mines", "source", "noise"].every((key) => condition[key] === state[key]) &&
    String(condition.seed) === String(state.seed) &&
    state.number < condition.boards &&
    Object.entries(condition.rules).every(([key, value]) => String(value) === String(state.rules[key]));
  return overview?.conditions.find(same);
}

// The first board of a condition that the person has not played; null after the last.
function nextBoard({ boards, games }) {
  const played = new Set(games.map((game) => game.number));
  for (let number = 0; number < boards; number += 1) if (!played.has(number)) return number;
  return null;
}

// The person's games that count, on boards that every agent has played.
const comparable = ({ games }) => games.filter((game) => !game.helped && game.value !== null && game.agents.every((value) => value !== null));

// The person and the agents on the same boards, computed by the engine: for each its numbers, `agent` and `you`; the first
// rank comes first.
async function compare(overview, score, condition, games) {
  const engine = await loadEngine();
  const columns = [games.map((game) => game.value), ...overview.agents.map((_, k) => games.map((game) => game.agents[k]))];
  const found = engine.compare(columns, { ...score, bounds: condition.bounds });
  const labels = ["you", ...overview.agents.map((agent) => agent.label)];
  const sign = score.more_is_better ? 1 : -1;
  return found
    .map((line, k) => ({ ...line, agent: labels[k], you: k === 0 }))
    .sort((a, b) => a.rank - b.rank || sign * (b.mean - a.mean));
}

const scoreOf = (overview) => overview.leaderboard?.scores.find((score) => score.name === overview.played);

// Keep a finished game if its board is one of the run's; the answer is a sentence with links, or null.
export async function keepGame(state, turns) {
  const overview = await fetchRun();
  const condition = conditionOf(overview, state);
  if (!condition || !overview.played || state.result.gave_up) return null;
  const helped = state.with_hints + state.with_odds + state.undone > 0 || state.clicks < state.turns;
  const own = (await keepOwnGame(overview, condition, { number: state.number, helped, turns, scores: state.result.scores }))[condition.id];
  const games = comparable(own);
  const score = scoreOf(overview);
  const lines = games.length && score ? await compare(overview, score, condition, games) : [];
  const you = lines.find((line) => line.you);
  const place = you ? `You are rank ${you.rank} of ${count(lines.length, "player")} on the boards that you have played.` : "Kept.";
  const next = nextBoard(own);
  const link = next === null ? null : boardLink(condition, next);
  return [place, " ", h("a", { href: pageLink("leaderboard") }, "You among the agents"), link ? [" · ", h("a", { href: link }, "Next board")] : null];
}

// The section of the leaderboard for a condition; `own` are the person's games under it.
export class PersonSection {
  constructor(overview, board, condition, own) {
    const score = scoreOf(overview);
    const next = nextBoard(own);
    const link = next === null || !score ? null : boardLink(condition, next);
    const play = link ? h("a", { class: "button", href: link }, own.games.length ? "Play the next board" : "Play these boards yourself") : null;
    this.body = h("div", {});
    this.element = h("section", { class: "card you", "aria-label": "You among the agents" }, h("header", { class: "section-head" }, h("h2", {}, "You among the agents"), play), this.body);
    const played = own.games.filter((game) => !game.helped);
    const games = comparable(own);
    if (!score) this.say("This leaderboard has no score that a page can measure for you.");
    else if (!link && !own.games.length) this.say("These boards cannot be played in a page.");
    else if (!played.length) this.say("Play the same boards as the agents, without hints: this table then shows your rank, with its interval, and how you do against each of them.");
    else if (!games.length) this.say(`${count(played.length, "game")} kept: the agents have not played these boards yet.`);
    else this.drawStandings(overview, score, condition, games);
    this.drawHelped(overview, score, condition, own.games.filter((game) => game.helped && game.value !== null));
  }

  say(text) {
    this.body.append(h("p", {}, text));
  }

  drawStandings(overview, score, condition, games) {
    const place = h("div", {});
    this.body.append(place);
    this.fillStandings(place, overview, score, condition, games);
  }

  async fillStandings(place, overview, score, condition, games) {
    place.replaceChildren(h("p", { class: "small muted" }, "Loading …"));
    try {
      const lines = await compare(overview, score, condition, games);
      place.replaceChildren(h("p", { class: "small muted" }, `${condition.title}: your first games without help, on ${count(games.length, "board")} that all have played.`), standings(lines, score));
    } catch (error) {
      place.replaceChildren(failure(error.message, () => this.fillStandings(place, overview, score, condition, games)));
    }
  }

  // Games with help count apart.
  async drawHelped(overview, score, condition, games) {
    if (!score || !games.length) return;
    const line = h("p", { class: "small" });
    this.body.append(line);
    const engine = await loadEngine();
    const [found] = engine.compare([games.map((game) => game.value)], { ...score, bounds: condition.bounds });
    const [mean, range] = estimateText(found, score, score.percent ? 1 : 3);
    line.textContent = `With hints, probabilities or Undo, which count apart: ${count(games.length, "game")}, ${score.head} ${mean} ${range}`;
  }
}

function standings(lines, score) {
  const row = (line) => {
    const [mean, range] = estimateText(line, score, score.percent ? 1 : 3);
    const versus = line.you ? ["", ""] : [differenceOf(score, { mean: line.difference, significant: line.significant === 1 }).text, `${line.better} : ${line.equal} : ${line.worse}`];
    return h("tr", { class: line.you ? "is-you" : "" }, h("td", {}, String(line.rank)), h("th", { scope: "row", class: "text" }, line.agent), h("td", {}, h("b", {}, mean), " ", h("span", { class: "small muted" }, range)), versus.map((text) => h("td", {}, text)));
  };
  const heads = ["rank", "agent", score.head, "you minus it", "better : equal : worse"];
  const head = h("thead", {}, h("tr", {}, heads.map((text) => h("th", { scope: "col", class: text === "agent" ? "text" : "" }, text))));
  return h(
    "div",
    {},
    wideTable("You among the agents, as a table", h("table", { class: "standings" }, head, h("tbody", {}, lines.map(row)))),
    h("p", { class: "small muted" }, "* significant after Holm's correction over all pairs."),
  );
}
