// The game of a person while an agent or a board of the server is slow or fails, and after a reload.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { until } from "./fake_document.mjs";
import { FakeServer, OPTIONS } from "./fake_server.mjs";

const { isPossible, lookOf, moveOf } = await import("../../web/static/clicks.js");
const { GameClient } = await import("../../web/static/game_client.js");
const { forgetGame, saveGame, savedGame, savedRequest } = await import("../../web/static/saved_games.js");

// A board of the server: after cell 0 is open, 1, 4 and 5 are certainly mines, and all other cells are safe.
const BODY = { rows: 2, cols: 4, mines: 3, seed: 7, agent: "exact", on_mine: "end", first_click: "any", source: "no-guess", noise: "exact-clues", flood: false };
let server;

beforeEach(() => {
  localStorage.clear();
  server = new FakeServer(".*..", "**..");
});

// A client with its errors, and the clicks of a person who sees what it draws.
function client({ hints = true } = {}) {
  const errors = [];
  const game = new GameClient(
    OPTIONS,
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

async function begun({ hints, ...body } = {}) {
  const made = client({ hints });
  made.game.start({ ...BODY, ...body });
  await made.settle();
  return made;
}

const asked = (word) => server.requests.filter((request) => request === word).length;

test("clicks are carried out one after the other, and none is lost while the board is being dealt", async () => {
  const { game, click, settle, shown } = await begun({ hints: false, first_click: "safe" });
  server.hold("deal");
  for (const cell of [0, 2, 3]) click(cell);
  await until(() => asked("deal") === 1);
  assert.ok(game.busy);
  assert.equal(shown(), "........");
  server.release("deal");
  await settle();
  assert.equal(shown(), "3.20....");
  assert.equal(server.bodies.at(-1).first, 0);
  assert.equal(asked("deal"), 1);
});

test("after undo the board is dealt for the cell that is opened then", async () => {
  const { game, click, settle } = await begun({ hints: false, first_click: "safe" });
  for (const cell of [0, 2, 0]) {
    click(cell);
    game.undo();
  }
  await settle();
  assert.deepEqual(server.bodies.map((body) => body.first), [0, 2]);
});

test("a click does not wait for a hint that is being computed, and the hint is given up", async () => {
  const { game, click, settle, shown } = await begun({ agent: "quits" });
  server.hold("turn");
  click(0);
  await until(() => asked("turn") === 2);
  assert.ok(game.busy);
  click(2);
  await until(() => shown() === "3.2.....");
  await until(() => asked("turn") === 3); // that for the new position
  server.release("turn");
  await settle();
  assert.deepEqual([...game.hint.safe], [3, 6, 7]);
});

test("an agent is asked once for a position, and sees one game until a turn is taken back", async () => {
  const { game, click, settle } = await begun({ agent: "quits" });
  await game.step();
  assert.equal(asked("turn"), 1);
  click(0);
  await settle();
  game.undo();
  await settle();
  const [first, second, third] = server.bodies.filter((body) => body?.agent).map((body) => body.game);
  assert.equal(first, second);
  assert.notEqual(second, third);
});

test("the flag of a person that no clue proves is hidden from the agent", async () => {
  const { click, settle } = await begun({ agent: "quits" });
  click(3, "flag");
  await settle();
  assert.equal(server.bodies.at(-1).shown, "........");
  click(0);
  await settle();
  click(1, "flag");
  await settle();
  assert.equal(server.bodies.at(-1).shown, "3F......");
});

test("dashed flags that are clicked in quick succession are flagged and never opened", async () => {
  const { click, settle, shown } = await begun();
  click(0);
  await settle();
  for (const cell of [1, 4, 5]) click(cell);
  await settle();
  assert.equal(shown(), "3F..FF..");
});

test("a dashed flag that is clicked twice stays flagged", async () => {
  const { click, settle, shown } = await begun();
  click(0);
  await settle();
  click(1);
  click(1);
  await settle();
  assert.equal(shown()[1], "F");
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
});

test("a click on the old board does nothing on the new one", async () => {
  const { game, click, settle, shown } = await begun();
  server.hold("deal");
  game.start({ ...BODY, seed: 8 });
  click(0);
  await until(() => asked("deal") === 2);
  server.release("deal");
  await settle();
  assert.equal(game.state.seed, 8);
  assert.equal(shown(), "........");
});

test("a move that is no longer possible when its turn has come is not made", async () => {
  const { game, click, errors, settle } = await begun({ hints: false });
  click(0);
  click(0);
  await settle();
  assert.equal(game.state.turns, 1);
  assert.deepEqual(errors, []);
});

test("an error is reported, and the clicks after it are carried out", async () => {
  const { game, errors, settle, shown } = await begun({ hints: false });
  game.move("open", 1, {}, () => true); // a mine: the game is over
  await settle();
  game.start({ ...BODY, mines: 999 });
  game.start(BODY);
  await settle();
  assert.deepEqual(errors, ["999 mines on 2 x 4: expected at most 8"]);
  assert.equal(shown(), "........");
});

test("a hint that fails is asked for once and not again until the position changes", async () => {
  const { game, click, errors, settle } = await begun({ hints: false, agent: "quits" });
  server.turn = () => {
    throw Object.assign(new Error("the agent crashed"), { status: 502 });
  };
  game.want("hint", true);
  await until(() => errors.length);
  await settle();
  assert.deepEqual(errors, ["the agent crashed"]);
  assert.equal(asked("turn"), 1);
  click(0);
  await until(() => errors.length === 2);
});

test("a turn of an agent that breaks a rule changes nothing", async () => {
  const { game, click, errors, settle, shown } = await begun({ agent: "quits" });
  click(0);
  await settle();
  server.turn = () => ({ open: [2, 0], flag: [], unflag: [], why: "guess", probability: null, fallback: false, evidence: {} });
  game.changeAdviser("breaks");
  assert.equal(await game.step(), false);
  assert.deepEqual(errors, ["the move breaks the rules"]);
  assert.equal(shown(), "3.......");
});

test("undo takes a turn back, and what was certain after it", async () => {
  const { game, click, settle, shown } = await begun();
  click(0);
  await settle();
  game.undo();
  await settle();
  assert.equal(shown(), "........");
  assert.equal(game.hint.safe.size, 0);
  game.undo();
  await settle();
  assert.equal(game.state.undone, 1); // there was nothing to take back
});

test("another adviser keeps the game", async () => {
  const { game, click, settle, shown } = await begun();
  click(0);
  await settle();
  game.changeAdviser("quits");
  await settle();
  assert.equal(shown(), "3.......");
  assert.deepEqual([game.state.agent, game.turn.open], ["quits", []]);
});

test("an agent that gives up has not acted", async () => {
  const { game } = await begun();
  assert.equal(await game.step(), true);
  await game.changeAdviser("quits");
  assert.equal(await game.step(), false);
});

test("a game goes on after a reload, whatever the server remembers", async () => {
  const { game, click, settle } = await begun();
  click(0);
  click(3);
  await settle();
  game.undo();
  click(1);
  await settle();
  const { shown, id } = game.state;
  const again = client();
  await again.game.resume(id);
  assert.equal(again.shown(), shown);
  assert.deepEqual([again.game.state.undone, again.game.state.id], [1, id]);
  await again.settle();
});

test("a game that cannot be played again says why", async () => {
  const { game, click, settle } = await begun();
  click(0);
  await settle();
  const { id } = game.state;
  localStorage.setItem(`sweepstakes-turns-${id}`, JSON.stringify({ turns: "o99x", undone: 0, seconds: null }));
  await assert.rejects(client().game.resume(id), { status: 422, message: "“o99x” is not a turn of this game" });
  forgetGame(id);
  await assert.rejects(client().game.resume(id), { status: 404 });
});

test("the clock runs from the first cell that is opened, and stops at the end", async (t) => {
  let now = 5000;
  t.mock.method(performance, "now", () => now);
  const { game, click, settle } = await begun({ hints: false });
  assert.equal(game.seconds(), null);
  click(0);
  await settle();
  now += 2500;
  assert.equal(game.seconds(), 2.5);
  click(1);
  await settle();
  now += 1000;
  assert.equal(game.seconds(), 2.5);
});

test("a client that was closed does nothing more", async () => {
  const { game, click, shown } = await begun({ hints: false });
  game.close();
  click(0);
  await game.moves;
  assert.equal(shown(), "........");
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
