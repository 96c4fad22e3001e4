// The review of a finished game. The engine judges every decision; here are arrays, and the loop over the decisions.

import { Game } from "./engine.js";
import { lastMine } from "./rules.js";

const MARKS = 4; // numbers of a turn in a log: its reason, and how many cells it opens, flags and unflags
const GUESS = 1; // the reason of a person's turn: nothing is called proven
const STATE = 12;
const PENDING = 5; // the place in the state that says that the first click is still to be protected
const DECISION = 7;
const [TURN, FLAGS, CLASS, RISK, LEAST] = [0, 1, 2, 3, 4];
const [CELL, COST, LUCK] = [7, 8, 9];
const OUT = 11;
const OF_TURN = 5;
const OF_GAME = 5;
const [OVER, DECIDED] = [0, 1];
const FRAME = 12; // milliseconds after which the page gets to draw
const NO_LABEL = -1;

// Reserve memory for the arrays of a review, filled with zeros. Views are made when they are needed: memory grows.
class Arrays {
  constructor(engine, sizes) {
    this.engine = engine;
    this.at = Object.fromEntries(Object.entries(sizes).map(([name, [Type, length]]) => [name, engine.wasm.reserve(Type.BYTES_PER_ELEMENT * Math.max(1, length))]));
    this.sizes = sizes;
    for (const [name, [Type]] of Object.entries(sizes)) this.view(name).fill(Type === BigInt64Array ? 0n : 0);
  }

  view(name) {
    const [Type, length] = this.sizes[name];
    return new Type(this.engine.wasm.memory.buffer, this.at[name], length);
  }
}

function logOf(turns) {
  const marks = turns.flatMap(({ open = [], flag = [], unflag = [] }) => [GUESS, open.length, flag.length, unflag.length]);
  const numbers = turns.flatMap(({ open = [], flag = [], unflag = [] }) => [...open, ...flag, ...unflag]);
  return { marks: marks.map(BigInt), numbers: numbers.map(BigInt) };
}

// What a review says of a person's game: {turns, alive, chances, luck, clicks, accurate, survived, survivable, decisions}, where a
// turn is {label, luck, accurate, certain, mistakes} and `alive` and `chances` have a number more than there are turns. `setup` and
// `seeds` are those of a `Game`; `pause()` lets the page draw.
export async function reviewGame(engine, setup, seeds, turns, pause = async () => {}) {
  const { rows, cols, mines, start = null } = setup;
  const game = new Game(engine, { ...setup, start: null }, seeds);
  const first = start ?? turns.find(({ open }) => open?.length)?.open[0] ?? -1;
  if (!game.isDealt) game.deal(first);
  const { noisy } = engine.setNoise(setup.noise);
  const cells = rows * cols;
  const log = logOf(turns);
  const luck = new Float64Array(turns.length);
  const decisions = [];
  const sure = engine.wasm.reserve(2 * cells + turns.length + 1);
  engine.bytes(sure, 2 * cells + turns.length + 1).fill(0);
  const arrays = new Arrays(engine, {
    marks: [BigInt64Array, MARKS * turns.length],
    numbers: [BigInt64Array, log.numbers.length],
    state: [BigInt64Array, STATE],
    found: [BigInt64Array, 2 * log.numbers.length],
    left: [BigInt64Array, turns.length],
    out: [Float64Array, OUT],
  });
  // Carry out the turns of a log, and call `decided` for each decision.
  const walk = async (count, length, decided) => {
    let drawn = performance.now();
    for (;;) {
      engine.setNoise(setup.noise);
      const { marks, numbers, state, found, left, out } = arrays.at;
      const what = engine.call(
        "review_next", mines, engine.numberOf("first_click", setup.first_click), noisy, count, length,
        engine.tableAt, game.planesAt, game.countersAt, marks, numbers, state, found, left, sure, out,
      );
      if (what === OVER) return;
      decided([...arrays.view("out")], what === DECIDED);
      if (performance.now() - drawn > FRAME) {
        await pause();
        drawn = performance.now();
      }
    }
  };
  if (setup.first_click !== "any") arrays.view("state")[PENDING] = 1n;
  if (start !== null) {
    const begun = new Arrays(engine, { marks: [BigInt64Array, MARKS], numbers: [BigInt64Array, 1], found: [BigInt64Array, 2], left: [BigInt64Array, 1] });
    begun.view("marks").set([BigInt(GUESS), 1n, 0n, 0n]);
    begun.view("numbers").set([BigInt(start)]);
    const own = { ...arrays.at };
    Object.assign(arrays.at, begun.at);
    await walk(1, 1, () => {});
    arrays.at = own;
    arrays.view("state").fill(0n);
  }
  arrays.view("marks").set(log.marks);
  arrays.view("numbers").set(log.numbers);
  arrays.view("left").fill(-1n);
  await walk(turns.length, log.numbers.length, (out, isDecision) => {
    luck[out[TURN]] += out[LUCK];
    if (isDecision) decisions.push({ numbers: out.slice(0, DECISION), cell: out[CELL], cost: out[COST], shown: game.shown });
  });
  const summed = sumUp(engine, game, arrays, { turns: turns.length, mines, ends: lastMine(setup) === 1 }, luck, decisions);
  const found = decisions.map((decision) => describe(engine, setup, decision));
  summed.turns.forEach((turn, t) => {
    turn.certain = turn.label !== "" && !found.some((decision) => decision.turn === t);
    turn.mistakes = found.filter((mistake) => mistake.turn === t && engine.choices.mistakes.includes(mistake.label));
  });
  return summed;
}

function sumUp(engine, game, arrays, { turns, mines, ends }, luck, decisions) {
  const last = new Arrays(engine, {
    decisions: [Float64Array, DECISION * decisions.length],
    luck: [Float64Array, turns],
    turns: [Float64Array, OF_TURN * (turns + 1)],
    game: [Float64Array, OF_GAME],
  });
  last.view("decisions").set(decisions.flatMap(({ numbers }) => numbers));
  last.view("luck").set(luck);
  const { marks, state, found, left } = arrays.at;
  engine.call("review_end", turns, decisions.length, mines, ends ? 1 : 0, marks, state, found, left, game.countersAt, ...Object.values(last.at));
  const labels = engine.choices.label;
  const numbers = [...last.view("turns")];
  const all = Array.from({ length: turns + 1 }, (_, t) => numbers.slice(OF_TURN * t, OF_TURN * (t + 1)));
  const [clicks, accurate, survived, survivable, lucky] = last.view("game");
  return {
    turns: all.slice(0, turns).map(([label, , , lucky, isAccurate]) => ({ label: label === NO_LABEL ? "" : labels[label], luck: lucky, accurate: isAccurate < 0 ? null : isAccurate > 0 })),
    alive: [1, ...all.slice(0, turns).map(([, alive]) => alive)],
    chances: ends ? all.map(([, , chance]) => chance) : null,
    clicks, accurate, survived, survivable, luck: lucky,
  }; // prettier-ignore
}

// A decision in words and cells; for an opening that cost something, the better cell and the clues that prove it.
function describe(engine, setup, { numbers, cell, cost, shown }) {
  const percent = Number.isNaN(numbers[RISK]) ? null : 100 * numbers[RISK];
  const flags = numbers[FLAGS] !== 0;
  const mistake = { turn: numbers[TURN], label: engine.choices.label[numbers[CLASS]], action: flags ? "flag" : "open", cell, cost, percent, least: Number.isNaN(numbers[LEAST]) ? null : 100 * numbers[LEAST], best: null, clues: [] };
  if (flags || cost === 0) return mistake;
  return { ...mistake, ...engine.better({ ...setup, shown }, cell) };
}
