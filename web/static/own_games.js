// The finished games of a person on the boards of a run: the server keeps them, or on a site the browser. Of each board the
// first game counts.

import { fetchAgentScores, isSite, request } from "./api.js";

const KEY = "sweepstakes-own-games"; // {board: {number: [whether it was helped, its scores by name]}}
const PERSON = "api/run/person";

// What deals the boards of a condition, as a text: the same boards of two leaderboards are the same games.
function boardsKey({ seed, source, rows, cols, mines, rules, noise }) {
  return JSON.stringify([String(seed), source, rows, cols, mines, noise, ...Object.entries(rules).sort()]);
}

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    return {}; // the browser keeps nothing, or something else
  }
}

// By condition: {boards, games}, where a game is {number, helped, value, agents}: the scores of the person and of the agents
// by which the run compares them, null where one is not known.
export async function ownGames(overview) {
  if (!isSite) return request(PERSON);
  const kept = read();
  const scores = await fetchAgentScores();
  const entries = overview.conditions.map((condition) => {
    const ofAgents = scores[condition.id];
    const boards = Math.min(condition.boards, ...ofAgents.map((each) => each.length));
    const games = Object.entries(kept[boardsKey(condition)] ?? {})
      .map(([number, [helped, own]]) => ({ number: Number(number), helped, value: own[overview.played] ?? null, agents: ofAgents.map((each) => each[number] ?? null) }))
      .filter((game) => game.number < boards);
    return [condition.id, { boards, games }];
  });
  return Object.fromEntries(entries);
}

// Keep one more game, {number, helped, turns, scores}, and answer as `ownGames` does.
export async function keepOwnGame(overview, condition, { number, helped, turns, scores }) {
  if (!isSite) return request(PERSON, { condition: condition.id, number, helped, turns });
  const kept = read();
  const games = (kept[boardsKey(condition)] ??= {});
  games[number] ??= [helped, scores];
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    throw new Error("This browser does not keep the game: its storage is full or blocked.");
  }
  return ownGames(overview);
}
