// The game of a person while the server is slow, restarts, or has gone on with the game in another tab.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { until } from "./fake_document.mjs";
import { FakeServer } from "./fake_server.mjs";

const { isPossible, lookOf, moveOf } = await import("../../web/static/clicks.js");
const { GameClient } = await import("../../web/static/game_client.js");
const { forgetGame, saveGame, savedGame, savedRequest } = await import("../../web/static/saved_games.js");

const BODY = { rows: 2, cols: 4, mines: 3, seed: 7, agent: "exact" };
let server;

beforeEach(() => {
  localStorage.clear();
  server = new FakeServer("*..*", "..*.");
});

// A client with its errors, and the clicks of a person who sees what it draws.
async function client({ hints = true } = {}) {
  const errors = [];
  const game = new GameClient(
    () => {
      if (game.isNew) saveGame(game.state.id, "#/play?seed=7", BODY);
    },
    (error) => errors.push(error.message),
  );
  const drawn = () => ({ ...game.state, hint: hints ? (game.hint ?? game.kept) : null });
  const click = (cell, action = "open") => {
    const move = moveOf(action, lookOf(drawn(), cell));
    if (move) game.move(move === "unflag" ? "flag" : move, cell, {}, (now) => isPossible(move, now, cell));
  };
  game.wants.hint = hints;
  return { game, click, drawn, errors, settle: () => until(() => !game.busy), shown: () => game.state.shown };
}

async function begun(options) {
  const made = await client(options);
  made.game.start(BODY);
  await made.settle();
  return made;
}

test("clicks are sent one after the other, and none is lost while answers are late", async () => {
  const { game, click, settle, shown } = await begun({ hints: false });
  server.hold("moves");
  for (const cell of [1, 2, 4]) click(cell);
  await until(() => server.requests.includes("moves open 1"));
  assert.ok(game.busy);
  assert.ok(!server.requests.includes("moves open 2"));
  server.release("moves");
  await settle();
  assert.deepEqual(server.requests.slice(-3), ["moves open 1", "moves open 2", "moves open 4"]);
  assert.equal(shown(), ".22.1...");
});

const hintsAsked = () => server.requests.filter((request) => request === "hint").length;

test("a click does not wait for a hint that is being computed, and the hint is given up", async () => {
  const { game, click, settle, shown } = await begun();
  server.hold("hint");
  click(1);
  await until(() => hintsAsked() === 2);
  assert.ok(game.busy);
  click(2);
  await until(() => shown() === ".22.....");
  await until(() => hintsAsked() === 3); // that for the new position
  server.release("hint");
  await settle();
  assert.deepEqual([...game.hint.safe], [4, 5, 7]);
});

test("a hint for a position that has changed meanwhile is not kept", async () => {
  const { game, click, settle, shown } = await begun();
  server.ignoresAbort = true;
  server.hold("hint");
  click(1);
  await until(() => hintsAsked() === 2);
  click(2);
  await until(() => shown() === ".22.....");
  game.wants.hint = false;
  server.release("hint");
  await settle();
  assert.equal(game.turn, null);
});

test("dashed flags that are clicked in quick succession are flagged and never opened", async () => {
  const { click, settle, shown } = await begun();
  click(1);
  await settle();
  server.hold("moves");
  server.hold("hint");
  click(0);
  click(3);
  await until(() => server.requests.at(-1) === "moves flag 0");
  server.release("moves");
  await until(() => shown() === "F2.F....");
  click(6); // the next hint is not there yet: what was certain stays drawn
  await until(() => shown()[6] === "F");
  server.release("hint");
  await settle();
  assert.equal(shown(), "F2.F..F.");
});

test("a dashed flag that is clicked twice stays flagged", async () => {
  const { click, settle, shown } = await begun();
  click(1);
  await settle();
  click(0);
  click(0);
  await settle();
  assert.equal(shown()[0], "F");
});

test("clicking what is marked without waiting wins", async () => {
  const { game, click, drawn } = await begun();
  const marked = () => [...game.state.shown].findLastIndex((_, cell) => lookOf(drawn(), cell).sign);
  while (!game.state.over) {
    await until(() => game.state.over || marked() >= 0);
    click(marked());
    await new Promise((done) => setImmediate(done));
  }
  assert.ok(game.state.result.won);
  assert.ok(game.state.shown.includes("F"));
});

test("a click on the old board does nothing on the new one", async () => {
  const { game, click, settle, shown } = await begun();
  server.hold("games");
  game.start({ ...BODY, seed: 8 });
  click(1);
  server.release("games");
  await settle();
  assert.equal(game.state.seed, 8);
  assert.equal(shown(), "........");
});

test("a move that is no longer possible when its turn has come is not sent", async () => {
  const { click, settle } = await begun({ hints: false });
  click(1);
  click(1);
  await settle();
  assert.equal(server.requests.filter((request) => request === "moves open 1").length, 1);
});

test("an error is reported, and the clicks after it are carried out", async () => {
  const { game, errors, settle, shown } = await begun({ hints: false });
  game.move("open", 0, {}, () => true); // a mine: the game is over
  await settle();
  game.start({ ...BODY, mines: 999 });
  game.start(BODY);
  await settle();
  assert.deepEqual(errors, ["999 mines on 2 x 4"]);
  assert.equal(shown(), "........");
});

test("a hint that fails is asked for once and not again until the position changes", async () => {
  const { game, click, errors, settle } = await begun({ hints: false });
  server.hint = () => {
    throw Object.assign(new Error("the agent crashed"), { status: 502 });
  };
  game.want("hint", true);
  await until(() => errors.length);
  await settle();
  assert.deepEqual(errors, ["the agent crashed"]);
  assert.equal(server.requests.filter((request) => request === "hint").length, 1);
  click(1);
  await until(() => errors.length === 2);
});

test("undo takes a turn back, and what was certain after it", async () => {
  const { game, click, settle, shown } = await begun();
  click(1);
  await settle();
  game.undo();
  await settle();
  assert.equal(shown(), "........");
  assert.equal(game.hint.safe.size, 0);
  const before = server.requests.length;
  game.undo();
  await settle();
  assert.equal(server.requests.length, before); // there is nothing to take back
});

test("another adviser keeps the game", async () => {
  const { game, click, settle, shown } = await begun();
  click(1);
  await settle();
  game.changeAdviser("quits");
  await settle();
  assert.equal(shown(), ".2......");
  assert.deepEqual([game.state.agent, game.turn.open], ["quits", []]);
});

test("an agent that gives up has not acted", async () => {
  const { game } = await begun();
  assert.equal(await game.step(), true);
  await game.changeAdviser("quits");
  assert.equal(await game.step(), false);
});

test("a game goes on after a restart of the server and a reload", async () => {
  const { game, click, settle } = await begun();
  click(1);
  click(4);
  await settle();
  game.undo();
  click(0);
  await settle();
  const { shown } = game.state;
  server.forgetGames();
  const again = await client();
  await again.game.resume(game.state.id);
  assert.equal(again.shown(), shown);
  assert.equal(again.game.state.undone, 1);
  assert.match(again.game.note, /no longer had this game: it was played again/);
  await again.settle();
  const third = await client(); // the server has it again
  await third.game.resume(again.game.state.id);
  assert.equal(third.game.note, undefined);
});

test("a click after a restart is carried out without a reload", async () => {
  const { game, click, errors, settle, shown } = await begun();
  click(1);
  await settle();
  server.forgetGames();
  click(2);
  await settle();
  assert.equal(shown(), ".22.....");
  assert.equal(game.state.id, "game2");
  assert.deepEqual(errors, []);
});

test("a game that cannot be played again says why", async () => {
  const { game, click, settle } = await begun();
  click(1);
  await settle();
  const { id } = game.state;
  localStorage.setItem(`sweepstakes-turns-${id}`, JSON.stringify({ turns: "o99", undone: 0, seconds: null }));
  server.forgetGames();
  await assert.rejects((await client()).game.resume(id), { status: 422, message: "turn o99 breaks the rules" });
  forgetGame(id);
  await assert.rejects((await client()).game.resume(id), { status: 404 });
});

test("a second tab shows the present position after a conflict, and can go on", async () => {
  const first = await begun({ hints: false });
  const second = await client({ hints: false });
  await second.game.resume(first.game.state.id);
  second.click(1);
  await second.settle();
  first.click(2);
  await first.settle();
  assert.equal(first.shown(), ".2......"); // the click was meant for another position
  assert.match(first.game.note, /^The game went on elsewhere/);
  assert.deepEqual(first.errors, []);
  first.click(2);
  await first.settle();
  assert.equal(first.shown(), ".22.....");
  assert.equal(first.game.note, "");
});

test("a second tab shows no hint for a position that it does not show", async () => {
  const first = await begun({ hints: false });
  const second = await client({ hints: false });
  await second.game.resume(first.game.state.id);
  second.click(1);
  await second.settle();
  first.game.want("hint", true);
  await until(() => first.game.hint);
  assert.equal(first.shown(), ".2......");
  assert.deepEqual([...first.game.hint.safe], [2, 4, 5, 7]);
});

test("the clock runs from the answer of the server on, and stands still before the first cell and after the end", async (t) => {
  let now = 5000;
  t.mock.method(performance, "now", () => now);
  const { game, click, settle } = await begun({ hints: false });
  assert.equal(game.seconds(), null);
  click(1);
  await settle();
  now += 2500;
  assert.equal(game.seconds(), 3.5);
  click(0);
  await settle();
  now += 1000;
  assert.equal(game.seconds(), 1);
});

test("a client that was closed sends nothing more", async () => {
  const { game, click } = await begun({ hints: false });
  game.close();
  const before = server.requests.length;
  click(1);
  await game.moves;
  assert.equal(server.requests.length, before);
});

test("the browser keeps the last games with their turns, the last one first", () => {
  for (let k = 0; k < 25; k += 1) saveGame(`g${k}`, `#/play?seed=${k}`, { seed: k });
  assert.equal(savedGame().id, "g24");
  assert.equal(savedGame("#/play?seed=5").id, "g5");
  assert.equal(savedGame("#/play?seed=4"), undefined); // 20 games are kept
  saveGame("g7", "#/play?seed=7", { seed: 7 });
  assert.equal(savedGame().id, "g7");
  assert.deepEqual(savedRequest("g7"), { seed: 7, saved: { turns: "", undone: 0, seconds: null } });
  forgetGame("g7");
  assert.equal(savedGame("#/play?seed=7"), undefined);
  assert.equal(savedRequest("g7"), null);
});

test("what the browser keeps may be damaged", () => {
  for (const text of ["{", "3", '[{"id": 3}, null]']) {
    localStorage.setItem("sweepstakes-games", text);
    assert.equal(savedGame(), undefined);
  }
  saveGame("g", "#/play", { seed: 1 });
  localStorage.setItem("sweepstakes-turns-g", "{");
  assert.equal(savedRequest("g"), null);
});
