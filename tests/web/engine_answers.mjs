// The engine in the page against the Python package: `test_engine.py` runs this with the cases that it has made.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { Engine, Game } from "../../web/static/engine.js";
import { reviewGame } from "../../web/static/engine_review.js";
import { boardSeeds } from "../../web/static/seeds.js";

const engine = await Engine.load(readFileSync(process.env.ENGINE_MODULE));
const { positions, games, tables, functions, densities, comparisons, reviews } = JSON.parse(readFileSync(process.env.ENGINE_CASES, "utf-8"));

function reals(text) {
  const bytes = Buffer.from(text, "base64");
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

// Equal to the bit: NaN equals NaN.
function sameReals(found, expected, what) {
  const wrong = found.findIndex((value, i) => !Object.is(value, expected[i]) && value !== expected[i]);
  assert.equal(wrong, -1, `${what}: cell ${wrong} has ${found[wrong]}, not ${expected[wrong]}`);
}

const close = (found, expected) => Math.abs(found - expected) <= 1e-12 * Math.max(1, Math.abs(expected));

function each(cases, check) {
  cases.forEach((one, i) => {
    try {
      check(one);
    } catch (error) {
      error.message = `case ${i}, ${one.rows}x${one.cols}/${one.mines} ${one.noise} ${one.shown}\n${error.message}`;
      throw error;
    }
  });
}

test("positions have the same status, certain cells, best cell and, to the bit, probabilities", () => {
  each(positions, (one) => {
    const found = engine.solve(one);
    assert.equal(found.status, one.status);
    assert.equal(found.firstClickSafe, one.first_click_safe);
    assert.equal(found.guess, one.guess);
    if (one.best !== undefined) assert.equal(found.best, one.best);
    assert.deepEqual(Buffer.from(found.certain).toString("base64"), one.certain);
    sameReals(found.probability, reals(one.probability), "probability");
    if (typeof one.logarithm === "number") assert.ok(close(found.logLayouts, one.logarithm), `${found.logLayouts} ${one.logarithm}`);
    const untrusting = engine.solve(one, false);
    assert.equal(untrusting.status, one.untrusting.status);
    sameReals(untrusting.probability, reals(one.untrusting.probability), "probability with flags ignored");
  });
});

test("contradictions are the same", () => {
  each(positions.filter((one) => one.contradiction), (one) => assert.deepEqual(engine.contradiction(one), one.contradiction));
});

test("proofs are the same", () => {
  each(positions.filter((one) => one.proof), (one) => {
    const { cell, mine, clues, counted } = one.proof;
    assert.deepEqual(engine.proof(one, cell, mine), { clues, counted });
  });
});

test("flags are judged alike", () => {
  each(positions.filter((one) => one.flags), (one) => assert.deepEqual(engine.checkFlags(one), one.flags));
});

test("exact takes the same turn", () => {
  each(positions.filter((one) => one.turn), (one) => assert.deepEqual(engine.exactTurn(one), one.turn));
});

test("games end alike", () => {
  each(games, (one) => {
    const game = new Game(engine, one, boardSeeds(one));
    while (!game.over) assert.ok(game.take(engine.exactTurn({ ...one, shown: game.shown })));
    assert.equal(game.ending, one.ending);
    assert.equal(game.shown, one.final);
    assert.equal(game.layout, one.layout);
    const result = game.result();
    for (const [name, value] of Object.entries(one.result)) assert.equal(result[name], value, name);
    assert.deepEqual(result.scores, one.scores);
  });
});

test("3BV per click and per second belong to won games, and a density gives as many mines as in the package", () => {
  for (const one of games) {
    const game = new Game(engine, one, boardSeeds(one));
    while (!game.over) game.take(engine.exactTurn({ ...one, shown: game.shown }));
    const { three_bv: bv, efficiency, pace } = game.result({ clicks: 8, seconds: 4 });
    assert.deepEqual([efficiency, pace], bv ? [bv / 8, bv / 4] : [null, null]);
    assert.equal(game.result().efficiency, null);
  }
  for (const [rows, cols, density, mines] of densities) assert.equal(engine.minesAt({ rows, cols, density }), mines, `${rows} ${cols} ${density}`);
});

test("a person among agents has the means, intervals, ranks and differences of the package", () => {
  for (const { columns, column, expected } of comparisons) {
    const found = engine.compare(columns, column);
    expected.forEach((one, i) => {
      for (const [name, value] of Object.entries(one)) {
        const same = Math.abs(found[i][name] - Number(value)) <= 1e-9 * Math.max(1, Math.abs(value));
        assert.ok(same, `${name} of column ${i}: ${found[i][name]}, not ${value}, in ${JSON.stringify(columns)}`);
      }
    });
  }
});

test("games are reviewed alike", async () => {
  for (const [i, one] of reviews.entries()) {
    const found = await reviewGame(engine, one, boardSeeds(one), one.turns);
    const what = `game ${i}, ${one.rows}x${one.cols}/${one.mines} ${one.noise} ${one.first_click} ${one.start}`;
    const near = (value, expected, name) => assert.ok(value === expected || Number.isNaN(value) || close(value, expected), `${what}: ${name} ${value}, not ${expected}`);
    [found.clicks, found.accurate, found.survived, found.survivable, found.luck].forEach((value, k) => near(value, one.numbers[k], `number ${k}`));
    one.by_turn.forEach(([label, alive, luck, accurate], t) => {
      assert.deepEqual([found.turns[t].label, found.turns[t].accurate], [label, accurate], `${what}, turn ${t}`);
      near(found.alive[t + 1], alive, `alive after turn ${t}`);
      near(found.turns[t].luck, luck, `luck of turn ${t}`);
    });
    assert.equal(found.chances === null, one.chances === null, what);
    one.chances?.forEach((chance, t) => near(found.chances[t], chance, `chance before turn ${t}`));
    const mistakes = found.turns.flatMap((turn) => turn.mistakes);
    assert.equal(mistakes.length, one.mistakes.length, what);
    one.mistakes.forEach(({ cost, ...expected }, k) => {
      const { turn, label, cell, best, clues } = mistakes[k];
      assert.deepEqual({ turn, label, cell, best, clues }, expected, what);
      near(mistakes[k].cost, cost, `cost of mistake ${k}`);
    });
  }
});

test("a turn that breaks a rule is refused", () => {
  const setup = { rows: 4, cols: 4, mines: 3, on_mine: "end", first_click: "safe", start: null, flood: true, noise: "exact-clues" };
  const game = new Game(engine, setup, boardSeeds({ ...setup, seed: 1, number: 0 }));
  assert.ok(game.take({ open: [0], why: "guess" }));
  assert.equal(game.take({ open: [0], why: "guess" }), false);
  assert.equal(game.take({ flag: [99] }), false);
});

test("the likelihoods of every noise are the same to the bit", () => {
  for (const [spec, { floods, noisy, table }] of Object.entries(tables)) {
    const noise = engine.setNoise(spec);
    assert.equal(noise.floods, floods, spec);
    assert.equal(noise.noisy, noisy, spec);
    sameReals(engine.reals(engine.tableAt, 810), reals(table), spec);
  }
});

test("the logarithms and lgamma of the module are those of Python within a few units in the last place", () => {
  for (const [name, pairs] of Object.entries(functions)) {
    for (const [x, y] of pairs) {
      const found = engine.wasm[name](x);
      assert.ok(Math.abs(found - y) <= 4 * 2 ** -52 * Math.max(Math.abs(y), name === "lgamma" ? 1 : 0), `${name}(${x}) = ${found}, not ${y}`);
    }
  }
});

test("memory is given out aligned and apart, and that of a call is used again by the next", () => {
  const [first, second] = [engine.wasm.reserve(100), engine.wasm.reserve(1)];
  assert.equal(first % 64, 0);
  assert.equal(second % 64, 0);
  assert.ok(second >= first + 100);
  const large = { rows: 60, cols: 60, mines: 700, shown: ".".repeat(3600), noise: "exact-clues" };
  engine.solve(large);
  const { byteLength } = engine.wasm.memory.buffer;
  for (let i = 0; i < 20; i += 1) engine.solve(large);
  assert.equal(engine.wasm.memory.buffer.byteLength, byteLength);
});
