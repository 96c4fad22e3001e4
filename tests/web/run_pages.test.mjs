// The pages of a run: the leaderboard and how it is sorted and searched, an agent, a run that is being played, and Watch.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { until } from "./fake_document.mjs";
import { engineResponse } from "./fake_server.mjs";

const { Address, readAddress } = await import("../../web/static/address.js");
const { axisOf } = await import("../../web/static/chart.js");
const { h, wideTable } = await import("../../web/static/dom.js");
const { boardLink, conditionOf } = await import("../../web/static/person.js");
const { Progress } = await import("../../web/static/live.js");
const { differenceOf, pairsByAgents } = await import("../../web/static/matrix.js");
const { estimateText, standingsTable } = await import("../../web/static/standings.js");
const { fetchRun } = await import("../../web/static/api.js");
const { agentPage } = await import("../../web/static/agent.js");
const { leaderboard } = await import("../../web/static/leaderboard.js");
const { watch } = await import("../../web/static/watch.js");

const look = { colour: 0, marker: "o", dash: 0 };
const interval = (mean) => ({ mean, low: mean - 0.1, high: mean + 0.1 });
const line = (agent, rank, score, turns) => ({
  agent, rank, rating: interval(1 / rank), games: 12, faults: rank - 1, fallbacks: 0, missing: 0, scores: { identified: interval(score), turns: interval(turns) },
}); // prettier-ignore
const pair = { first: "basic", second: "random", difference: interval(0.4), p_mean: 0.01, significant: true, better: 9, equal: 2, worse: 1 };
const table = (condition, boards) => ({ condition, boards, standings: [line("basic", 1, 0.9, 8), line("exact", 2, 0.7, 9), line("random", 3, 0.5, 3)], pairs: [pair] });
const rules = { on_mine: "end", first_click: "safe", flood: true, start: [1, 2] };
const condition = (id, label, title) => ({ id, label, title, short: title, boards: 12, bounds: [0, 1], rows: 2, cols: 3, mines: 1, seed: 11, source: "uniform", noise: "exact-clues", rules });
const OVERVIEW = {
  name: "small",
  agents: ["random", "basic", "exact"].map((label, k) => ({ id: k + 1, label, short: label, look, about: `${label} plays.`, missing: label === "exact" ? "it has changed since: version 1" : "" })),
  conditions: [condition(1, "2x3/1", "2x3 with 1 mine"), condition(2, "5x5 at 0.1", "5x5, mine density 0.1")],
  columns: { rank: "the rank", agent: "its label", rating: "the rating", games: "boards", faults: "games lost", fallbacks: "turns", missing: "games" },
  sweeps: [],
  latest: [],
  played: "identified",
  secret: false,
  progress: { finished: 72, total: 72, complete: true, counted: 72 },
  leaderboard: {
    name: "small",
    scores: [
      { name: "identified", proportion: true, percent: true, more_is_better: true, scale: 100, head: "identified %", axis: "Mines identified (%)", title: "Mines identified", about: "mines flagged" },
      { name: "turns", proportion: false, more_is_better: false, scale: 1, head: "turns", axis: "Turns", title: "Turns", about: "turns taken; less is better" },
    ],
    tables: [table("all conditions", 24), table("2x3/1", 12), table("5x5 at 0.1", 12)],
  },
}; // prettier-ignore
const TURN = { flag: [], unflag: [], why: "random", probability: null, evidence: {}, fallback: false };
const REPLAY = {
  rows: 2, cols: 3, mines: 1, agent: "random", number: 3, start: "......", layout: "*.....", scores: { "safe-opened": 0.2 }, note: "",
  turns: [{ ...TURN, open: [1], at: [1], to: "1" }, { ...TURN, open: [0], at: [0], to: "*" }],
  result: { won: false, ending: "lost", mines: 1, right_flags: 0, wrong_flags: 0, detonated: 1, fault: "" }, review: null,
}; // prettier-ignore
const BOARDS = { better: 2, worse: 1, won: [[7, 1, 0.5], [3, 0.9, 0.8]], lost: [[4, 0, 1]] };

let overview;
let person;

beforeEach(() => {
  person = { 1: { boards: 12, games: [] }, 2: { boards: 12, games: [] } };
  overview = OVERVIEW;
  globalThis.fetch = async (path) => {
    if (path.endsWith("engine.wasm")) return engineResponse();
    const json = path.endsWith("/run") ? overview : path.endsWith("/person") ? person : path.includes("/decisive/") ? BOARDS : path.endsWith("/stored") ? { replay: REPLAY } : REPLAY;
    return { ok: true, status: 200, json: async () => structuredClone(json) };
  };
});

async function visit(t, make, hash) {
  location.hash = hash;
  const [name, params] = readAddress(hash);
  const container = document.createElement("main");
  t.after((await make(container, params, new Address(name, params))) ?? (() => {}));
  const texts = (css) => container.querySelectorAll(css).map((element) => element.textContent);
  return { texts, text: (css) => texts(css)[0], one: (css) => container.querySelector(css), all: (css) => container.querySelectorAll(css) };
}

const openLeaderboard = (t, values = "") => visit(t, leaderboard, `#/leaderboard${values}`);
const agents = (page) => page.texts(".standings tbody th");

test("while a run is being played, the leaderboard says how far it is and updates itself", async (t) => {
  overview = { ...OVERVIEW, progress: { finished: 36, total: 72, complete: false, counted: 36 }, latest: [{ agent: "basic", number: 5, condition: 2, ending: "won" }] };
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const page = await openLeaderboard(t, "?condition=not+played+yet");
  assert.ok(page.one(".address-notice").hidden); // it may still come
  assert.match(page.text(".progress-text"), /^36 of 72 games played \(50\u00a0%\)\. The table has the standings after 36 games/);
  assert.equal(page.text(".standings caption"), "all conditions: 24 boards so far");
  const link = page.one(".latest a");
  assert.equal(page.text(".latest li"), "The latest games, 5x5, mine density 0.1:");
  assert.deepEqual([link.textContent, link.href], ["basic, board 5: won", "#/watch?condition=5x5+at+0.1&board=5&first=basic"]);
  overview = OVERVIEW;
  t.mock.timers.tick(2000);
  await until(() => page.text(".standings caption") === "all conditions: 24 boards");
  assert.ok(page.one(".live").hidden);
});

test("the pace of a run says how long the rest takes, or that nothing happens", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  const progress = new Progress();
  const at = (finished, seconds) => {
    t.mock.timers.tick(1000 * seconds);
    progress.draw({ ...OVERVIEW, leaderboard: null, progress: { finished, total: 1000, complete: false, counted: -1 } });
    return progress.text.textContent;
  };
  assert.equal(at(100, 0), "100 of 1,000 games played (10\u00a0%).");
  assert.equal(at(200, 10), "200 of 1,000 games played (20\u00a0%), about 80 s left.");
  assert.match(at(210, 90), /about 12 min left/);
  assert.match(at(210, 25), /no game has ended for 25 s/);
  progress.fail("The server does not answer.");
  assert.equal(progress.text.textContent, "The server does not answer. The page tries again.");
});

test("the boards of a secret seed are named and not linked", () => {
  const progress = new Progress();
  const latest = [{ agent: "basic", number: 5, condition: 2, ending: "won" }];
  progress.draw({ ...OVERVIEW, secret: true, latest, progress: { ...OVERVIEW.progress, complete: false } });
  assert.equal(progress.latest.querySelector("a"), null);
  assert.match(progress.latest.textContent, /basic, board 5: won.*The seed is secret/);
});

test("the table is sorted by any column, the best first, and the address has it", async (t) => {
  const page = await openLeaderboard(t);
  const sort = (name) => page.one(".standings").querySelectorAll("button").find((button) => button.textContent === name).click();
  assert.deepEqual(agents(page), ["basic", "exact", "random"]);
  sort("turns");
  assert.deepEqual(agents(page), ["random", "basic", "exact"]); // fewer are better
  assert.equal(page.one("th[aria-sort]").getAttribute("aria-sort"), "ascending");
  sort("turns");
  assert.deepEqual(agents(page), ["exact", "basic", "random"]);
  assert.match(location.hash, /sort=turns&order=down/);
  sort("identified %");
  assert.deepEqual(agents(page), ["basic", "exact", "random"]);
  sort("agent");
  sort("agent");
  assert.deepEqual(agents(page), ["random", "exact", "basic"]);
  assert.deepEqual(page.texts("th[aria-sort] button"), ["agent"]);
  sort("rank");
  assert.doesNotMatch(location.hash, /sort/);
});

test("the condition chooses the table", async (t) => {
  const page = await openLeaderboard(t);
  assert.equal(page.text(".standings caption"), "all conditions: 24 boards");
  assert.deepEqual(page.texts("select[name=condition] option"), ["all conditions", "2x3 with 1 mine", "5x5, mine density 0.1"]);
  page.one("select[name=condition]").choose("5x5 at 0.1");
  assert.equal(page.text(".standings caption"), "5x5, mine density 0.1: 12 boards");
  assert.equal(location.hash, "#/leaderboard?condition=5x5+at+0.1");
});

test("agents are searched and hidden in all tables", async (t) => {
  const page = await openLeaderboard(t);
  page.one("input[type=search]").choose("BAS");
  assert.deepEqual(agents(page), ["basic"]); // at once; what is large follows after a pause
  await until(() => page.texts(".matrix tbody th").length === 1);
  for (const css of [".matrix tbody th", ".matrix thead th", ".key li"]) assert.deepEqual(page.texts(css), ["basic"], css);
  assert.match(location.hash, /search=BAS/);
  assert.equal(page.text(".agent-choice summary"), "1 of 3 agents are shown");
  page.one("input[type=search]").choose("nobody");
  assert.equal(page.text(".standings tbody"), "No agent matches the search.");
  page.one("input[type=search]").choose("");
  page.one(".agent-boxes input").click(); // `random`, the first of the run
  assert.deepEqual(agents(page), ["basic", "exact"]);
  assert.match(location.hash, /hide=random/);
});

test("the address has the state of the leaderboard, and what it cannot show is named", async (t) => {
  const page = await openLeaderboard(t, "?condition=2x3/1&sort=turns&order=down&hide=basic&first=basic&second=random");
  assert.equal(page.text(".standings caption"), "2x3 with 1 mine: 12 boards");
  assert.deepEqual(agents(page), ["exact", "random"]);
  assert.equal(page.text(".decisive-boards h3"), "basic against random");
  assert.ok(page.one(".address-notice").hidden);
  const wrong = await openLeaderboard(t, "?sort=beauty&hide=nobody&first=somebody");
  for (const word of ["beauty", "nobody", "somebody"]) assert.ok(wrong.text(".address-notice").includes(`“${word}”`), word);
});

test("a number of the matrix leads to the boards that decided it", async (t) => {
  const page = await openLeaderboard(t);
  assert.deepEqual(page.texts(".matrix .compared"), ["+40.0*9 : 1", "−40.0*1 : 9"]);
  page.one(".matrix .compared").click();
  await until(() => page.texts(".decisive-boards h4").length === 2);
  assert.match(location.hash, /first=basic&second=random/);
  assert.deepEqual(page.texts(".decisive-boards h4"), ["basic was better on 4 boards", "random was better on 2 boards"]); // two conditions
  assert.equal(page.text(".boards a"), "2x3 with 1 mine, board 7: 1.00 to 0.50");
  assert.equal(page.one(".boards a").href, "#/watch?condition=2x3%2F1&board=7&first=basic&second=random");
  assert.deepEqual(page.texts("select[name=decisive-condition] option"), ["all conditions", "2x3 with 1 mine", "5x5, mine density 0.1"]);
  page.one("select[name=decisive-condition]").choose("2");
  await until(() => page.text(".decisive-boards h4") === "basic was better on 2 boards");
  assert.equal(page.text(".boards a"), "board 7: 1.00 to 0.50");
});

test("the matrix is a grid with one tab stop, in which the arrow keys move", async (t) => {
  const page = await openLeaderboard(t);
  const grid = page.one(".matrix");
  const stops = () => page.all(".matrix td").filter((cell) => cell.getAttribute("tabindex") === "0");
  const press = (key) => stops()[0].fire("keydown", { key });
  const place = () => page.all(".matrix tbody tr").flatMap((row, r) => row.querySelectorAll("td").flatMap((cell, c) => (cell === stops()[0] ? [[r, c]] : [])))[0];
  assert.equal(grid.getAttribute("role"), "grid");
  assert.deepEqual([stops().length, place()], [1, [0, 1]]);
  for (const [key, there] of [["ArrowDown", [1, 1]], ["ArrowRight", [1, 2]], ["ArrowRight", [1, 2]], ["Home", [1, 0]], ["PageDown", [2, 0]], ["ArrowUp", [1, 0]], ["End", [1, 2]]]) {
    press(key);
    assert.deepEqual([stops().length, place()], [1, there], key);
  }
  press("PageDown");
  press("Home");
  press("Enter"); // random against basic
  await until(() => page.texts(".decisive-boards h4").length === 2);
  assert.equal(page.text(".decisive-boards h3"), "random against basic");
  page.one("input[type=search]").choose("a"); // basic, exact and random have it
  page.one("input[type=search]").choose("x");
  await until(() => page.texts(".matrix tbody th").length === 1);
});

test("boards that could not be fetched can be asked for again", async (t) => {
  const page = await openLeaderboard(t);
  const working = globalThis.fetch;
  globalThis.fetch = async () => ({ ok: false, status: 500, json: async () => ({ error: "The disk is full." }) });
  page.one(".matrix .compared").click();
  await until(() => page.one(".decisive-boards [role=alert]"));
  assert.equal(page.text(".decisive-boards [role=alert] p"), "The disk is full.");
  globalThis.fetch = working;
  page.one(".decisive-boards [role=alert] button").click();
  await until(() => page.texts(".decisive-boards h4").length === 2);
});

test("names leave out what all share, and the caption has it", () => {
  const agents = OVERVIEW.agents.map((agent) => ({ ...agent, short: `window=${agent.id}` }));
  const overview = { ...OVERVIEW, agents, left_out: "chain(patterns=true)" };
  const { element } = standingsTable(overview, OVERVIEW.leaderboard, OVERVIEW.leaderboard.tables[0], { sort: { by: "rank", order: null }, link: () => null });
  const names = element.querySelectorAll("tbody .agent-name");
  assert.deepEqual(names.map((name) => [name.textContent, name.title]), [["window=2", "basic"], ["window=3", "exact"], ["window=1", "random"]]);
  assert.equal(element.querySelector("caption").textContent, "all conditions: 24 boards. Every agent is chain(patterns=true)");
});

test("a table that is too wide says how many columns are cut off", () => {
  const table = h("table", {}, h("thead", {}, h("tr", {}, ["a", "b", "c"].map((text) => h("th", {}, text)))));
  const element = wideTable("A table", table);
  const frame = element.querySelector(".wide");
  const shown = (right, ...ends) => {
    frame.getBoundingClientRect = () => ({ right });
    Object.assign(frame, { scrollWidth: 300, clientWidth: right });
    table.querySelectorAll("th").forEach((head, k) => (head.getBoundingClientRect = () => ({ right: ends[k] })));
    frame.fire("scroll");
    const more = element.querySelector(".more-columns");
    return [more.hidden, more.textContent, frame.classList.contains("is-cut")];
  };
  assert.deepEqual(shown(150, 100, 200, 300), [false, "2 more columns on the right →", true]);
  assert.deepEqual(shown(150, -50, 50, 150), [false, "← more columns on the left", false]);
  assert.equal(shown(300, 100, 200, 300)[0], true);
});

test("every agent has a mark with its interval under every condition", async (t) => {
  const page = await openLeaderboard(t);
  assert.equal(page.texts(".chart .whisker").length, 6);
  assert.deepEqual(page.texts(".key li"), ["basic", "exact", "random"]);
  assert.deepEqual(page.texts(".chart-panel h3"), ["2x3 with 1 mine", "5x5, mine density 0.1"]);
  assert.match(page.text(".chart title"), /^basic, 2x3 with 1 mine: /);
});

test("a pair is read in both directions, and significance is starred", () => {
  const pairs = pairsByAgents(table("all conditions", 24));
  assert.deepEqual([pairs.get("random|basic").mean, pairs.get("random|basic").better], [-0.4, 1]);
  const rate = { proportion: true, percent: true, more_is_better: true, scale: 100 };
  assert.deepEqual(differenceOf(rate, pairs.get("random|basic")), { side: "behind", text: "−40.0*" });
  assert.deepEqual(differenceOf({ proportion: false, more_is_better: false }, { mean: 0.4, significant: false }), { side: "", text: "+0.400" });
  assert.equal(differenceOf({ proportion: false, more_is_better: false }, { mean: 0.4, significant: true }).side, "behind");
});

test("a run that is being played names the conditions that are not in the table yet", () => {
  const progress = new Progress();
  const live = { ...OVERVIEW, progress: { finished: 30, total: 72, complete: false, counted: 30 } };
  const toCome = (tables) => {
    progress.draw({ ...live, leaderboard: tables && { ...live.leaderboard, tables } });
    return progress.toCome.textContent;
  };
  assert.equal(toCome(null), "Not in the table yet: 2x3 with 1 mine; 5x5, mine density 0.1.");
  assert.equal(toCome([table("2x3/1", 3), table("5x5 at 0.1", 0)]), "Not in the table yet: 5x5, mine density 0.1.");
  assert.equal(toCome(live.leaderboard.tables), "");
});

test("the person is among the agents on the boards that were played, and finds the next one", async (t) => {
  const values = [[1, 0, 1, 1], [1, 0, 1, 0], [0, 0, 1, 0], [1, 0, 1, 1]]; // of the person, random, basic and exact on each board
  const games = values.map(([value, ...agents], number) => ({ number, helped: false, value, agents }));
  const helped = { number: 4, helped: true, value: 1, agents: [0, 0, 0] };
  const missing = { number: 6, helped: false, value: 1, agents: [0, null, 0] };
  person[1] = { boards: 12, games: [...games, helped, missing] };
  const page = await openLeaderboard(t);
  const section = page.one(".you");
  await until(() => section.querySelector("tbody") && /count apart/.test(section.textContent));
  const rows = section.querySelectorAll("tbody tr").map((row) => row.querySelectorAll("th, td").map((cell) => cell.textContent));
  assert.deepEqual(rows.map(([rank, agent]) => [rank, agent]), [["1", "basic"], ["1", "you"], ["1", "exact"], ["1", "random"]]);
  assert.deepEqual(rows[0], ["1", "basic", "100.0 51.0–100.0", "−25.0", "0 : 3 : 1"]);
  assert.deepEqual(rows[1], ["1", "you", "75.0 30.1–95.4", "", ""]);
  assert.deepEqual(rows[3].slice(3), ["+75.0", "3 : 1 : 0"]);
  assert.match(section.textContent, /on 4 boards that all have played/);
  assert.match(section.querySelector(".button").href, /^#\/play\?rows=2&cols=3&mines=1&seed=11&number=5&.*first_click=safe&flood=yes&start=5$/);
  assert.match(section.textContent, /count apart: 1 game, identified % 100\.0 20\.7–100\.0/);
});

test("a game belongs to the condition with its board and rules", () => {
  const state = { rows: 2, cols: 3, mines: 1, seed: "11", source: "uniform", noise: "exact-clues", number: 3, rules };
  assert.equal(conditionOf(OVERVIEW, state).id, 1);
  for (const other of [{ rows: 3 }, { seed: 12 }, { number: 12 }, { rules: { ...rules, on_mine: "continue" } }, { rules: { ...rules, start: null } }, { noise: "liar(rate=0.5)" }]) assert.equal(conditionOf(OVERVIEW, { ...state, ...other }), undefined);
  assert.equal(conditionOf(null, state), undefined);
  assert.equal(boardLink({ ...OVERVIEW.conditions[0], seed: null }, 0), null);
});

test("a large gap between the scores is left out of an axis, and order stays", () => {
  const values = [0, 0.9, 0.92, 0.97].map((mean) => ({ mean, low: mean - 0.01, high: mean + 0.01 }));
  const { at, ticks, cut } = axisOf(values);
  const places = values.map(({ mean }) => at(mean));
  assert.deepEqual(places, places.toSorted((a, b) => a - b));
  assert.ok(places[0] > 0 && places[3] < 1);
  assert.ok(places[1] - places[0] < 0.5 && places[3] - places[1] > 0.3, `${places}`);
  assert.ok(at(0.01) < cut && cut < at(0.89));
  assert.deepEqual(ticks, ticks.toSorted((a, b) => a - b));
  const even = axisOf([0, 1, 2].map((mean) => ({ mean, low: mean, high: mean })));
  assert.deepEqual([even.cut, axisOf([{ mean: 1, low: 1, high: 1 }]).cut], [null, null]);
  assert.equal(even.at(1), 0.5);
});

test("an estimate has both ends of a rate, and half the width of anything else", () => {
  assert.deepEqual(estimateText({ mean: 0.5, low: 0.4, high: 0.65 }, { proportion: true, scale: 100 }, 1), ["50.0", "40.0–65.0"]);
  assert.deepEqual(estimateText({ mean: -2, low: -3, high: -1.5 }, {}, 2), ["−2.00", "±\u00a01.00"]);
  assert.deepEqual(estimateText({ mean: 1, low: 1, high: 1 }, {}, 2), ["1.00", ""]); // of one board
  assert.deepEqual(estimateText({ mean: 1, low: 0.9999, high: 1.0001 }, {}, 2), ["1.00", "±\u00a00.01"]);
});

test("an agent has a page with its scores, its differences and links back", async (t) => {
  const page = await visit(t, agentPage, "#/agent?name=basic");
  assert.equal(page.text("h1"), "basic");
  assert.ok(page.texts("p").includes("Rank 1 of 3 agents; 0 faults in 12 games."));
  assert.equal(page.one(".missing"), null);
  assert.deepEqual(page.texts(".standings tbody th").slice(0, 3), ["all conditions", "2x3 with 1 mine", "5x5, mine density 0.1"]);
  assert.deepEqual(page.texts(".against tbody td"), ["+40.0*", "9 : 2 : 1", "the boards that decide"]);
  assert.equal(page.one(".against td a").href, "#/leaderboard?first=basic&second=random");
  const gone = await visit(t, agentPage, "#/agent?name=exact");
  assert.equal(gone.text(".missing"), "exact cannot be asked here: it has changed since: version 1. The table has its results.");
});

test("two agents are watched side by side, the best first, and each turn has its reason", async (t) => {
  const page = await visit(t, watch, "#/watch?turn=1&board=3");
  await until(() => page.texts(".reason").length === 2 && page.texts(".heat").length);
  assert.deepEqual([page.one("select[name=first]").value, page.one("select[name=second]").value], ["basic", "exact"]);
  const condition = page.one("select[name=condition]");
  assert.deepEqual([condition.value, condition.title, page.text("select[name=condition] option")], ["2x3/1", "2x3 with 1 mine", "2x3 with 1 mine"]);
  assert.equal(page.text(".turn-count"), "Turn 1 of 2");
  await until(() => page.text(".reason").includes("exactly"));
  assert.equal(page.text(".reason"), "R Next, turn 2: random, opens 1; exactly 20\u00a0%.");
  page.one(".check input").click();
  assert.equal(page.one(".board .heat"), null);
  assert.match(location.hash, /odds=no/);
  page.one(".timeline button[aria-label=Forward]").click();
  assert.equal(page.text(".reason"), "Lost. Score 0.20 of the safe cells open, 1 detonated.");
});

test("a board that was watched can be played", async (t) => {
  const page = await visit(t, watch, "#/watch?board=3&first=basic");
  const [name, params] = readAddress(page.one(".watch-foot a").href);
  assert.deepEqual([name, Object.fromEntries(params)], [
    "play",
    { rows: "2", cols: "3", mines: "1", seed: "11", number: "3", on_mine: "end", first_click: "safe", noise: "exact-clues", flood: "yes", start: "5" },
  ]);
});

test("another board begins at its start, with a step for Back", async (t) => {
  const page = await visit(t, watch, "#/watch?board=3&turn=1&first=basic");
  await until(() => page.text(".turn-count") === "Turn 1 of 2");
  page.all("button").find((button) => button.title === "The next board").click();
  assert.match(history.pushed.at(-1), /board=3&turn=1/);
  assert.equal(location.hash, "#/watch?board=4&first=basic&condition=2x3%2F1&second=none");
  await until(() => page.text(".turn-count") === "Turn 0 of 2");
});

test("what an address of Watch names and the run does not have is named", async (t) => {
  const page = await visit(t, watch, "#/watch?condition=6x7/9&board=99&first=nobody&colour=red&turn=9");
  for (const word of ["6x7/9", "99", "nobody", "colour"]) assert.ok(page.text(".address-notice").includes(`“${word}”`), word);
  await until(() => page.text(".address-notice").includes("There is no turn 9: the game has 2 turns."));
});

test("a finished run is fetched once", async () => {
  assert.equal(await fetchRun(), await fetchRun());
});
