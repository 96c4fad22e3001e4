// The exact engine and the referee: `engine.wasm`, compiled from the kernels of the Python package, and what carries
// positions into it and answers out of it. Every rule, probability and judgement is in the module; here are numbers,
// addresses and texts. `docs/engine.md` describes the exports.

import { lastMine } from "./rules.js";

const MARKS = { ".": -1, F: -2, "*": -3, "?": 9 };
const CODES = new Map([...Object.entries(MARKS), ..."012345678".split("").map((mark) => [mark, Number(mark)])]);
const TEXT = new Map([...CODES].map(([mark, code]) => [code, mark]));
const STATUS = ["ok", "approximate", "inconsistent"];
const ANY_FIRST_CLICK = 4; // what `solve` answers instead of a status before a first click that is safe by the rules
const FAULT = -2147483648;
const NOISES = ["exact-clues", "hidden", "liar", "cautious", "optimistic"];
const FLAG_WORDS = [null, "wrong", "proven", "conflicting"];
const REASONS = ["proof", "guess", "random"];
const TABLE = 810; // numbers in a table of likelihoods
const COUNTERS = ["turns", "opened", "detonated", "flags", "cells_clicked", "guesses", "fallbacks", "list", "place"];
const FLAG_CLICKS = 15;
const DEALT = 16;
const N_COUNTERS = 17;
const COMPARED = ["mean", "low", "high", "rank", "better", "equal", "worse", "difference", "significant"];
const VERDICTS = [null, "won", "lost", "finished", "stalled"];
const NO_CHORD = -3;
const MAX_CELLS = 100_000; // a larger board would take too much of a browser's memory

// A spec such as hidden(rate=0.25), in parts; null for any other text.
function readSpec(text) {
  const found = text.match(/^([\w-]+)(?:\((.*)\))?$/);
  if (!found) return null;
  const values = {};
  for (const part of (found[2] ?? "").split(",").filter((each) => each.trim())) {
    const [name, value] = part.split("=").map((each) => each.trim());
    values[name] = value;
  }
  return { name: found[1], values };
}

export class Engine {
  // `choices` are the words of each rule, in the order of their numbers in the module.
  constructor(instance, choices) {
    this.wasm = instance.exports;
    this.choices = choices;
    this.wasm._initialize?.();
    this.cells = 0;
    this.tableAt = this.wasm.reserve(8 * TABLE);
    this.numbersAt = this.wasm.reserve(64);
    this.tables = new Map(); // by spec: likelihoods that a server sent
    this.noise = null;
  }

  // `source` is the module: its bytes or a response that brings them, or a promise of either.
  static async load(source) {
    const found = await source;
    const { module, instance } = ArrayBuffer.isView(found) ? await WebAssembly.instantiate(found, {}) : await WebAssembly.instantiateStreaming(found, {});
    const [choices] = WebAssembly.Module.customSections(module, "rules");
    return new Engine(instance, JSON.parse(new TextDecoder().decode(choices)));
  }

  // The number of a word of a rule.
  numberOf(rule, word) {
    return this.choices[rule].indexOf(word);
  }

  call(name, ...values) {
    const answer = this.wasm[name](...values);
    if (answer === FAULT) throw new Error(`the engine failed in ${name}`);
    return answer;
  }

  // Memory for a board of `cells` cells: what it shows, probabilities, marks and three lists.
  reserveBoard(cells) {
    if (cells <= this.cells) return;
    this.cells = cells;
    this.shownAt = this.wasm.reserve(cells);
    this.marksAt = this.wasm.reserve(cells);
    this.chancesAt = this.wasm.reserve(8 * cells);
    this.listsAt = [0, 1, 2].map(() => this.wasm.reserve(4 * cells + 64));
  }

  bytes(at, length) {
    return new Int8Array(this.wasm.memory.buffer, at, length);
  }

  reals(at, length) {
    return new Float64Array(this.wasm.memory.buffer, at, length);
  }

  list(which, length) {
    return [...new Int32Array(this.wasm.memory.buffer, this.listsAt[which], length)];
  }

  writeList(which, cells) {
    new Int32Array(this.wasm.memory.buffer, this.listsAt[which], cells.length).set(cells);
  }

  knowsNoise(spec = "exact-clues") {
    return this.tables.has(spec) || NOISES.includes(readSpec(spec)?.name);
  }

  // Write the likelihoods of a clue noise: {noisy, floods}. One that is not built in needs its table (`tables`).
  setNoise(spec = "exact-clues") {
    if (this.noise?.spec === spec) return this.noise;
    const table = this.tables.get(spec);
    const parts = readSpec(spec);
    let kind; // 1 if blanks flood, plus 2 if clues may be wrong or withheld
    if (table) {
      this.reals(this.tableAt, TABLE).set(table.likelihoods);
      kind = this.call("table_kind", this.tableAt);
    } else {
      const place = NOISES.indexOf(parts?.name);
      if (place < 0) throw new Error(`the engine in this page does not know the clue noise “${spec}”`);
      const rate = Number(parts.values.rate ?? 0);
      if (place && !(rate >= 0 && rate <= 1)) throw new Error(`rate ${parts.values.rate}: expected 0 to 1`);
      const blanks = /^(true|yes|1)$/i.test(parts.values.blanks ?? "");
      kind = this.call("noise_table", place, rate, blanks ? 1 : 0, this.tableAt);
    }
    this.noise = { spec, noisy: kind >> 1, floods: (kind & 1) === 1 };
    return this.noise;
  }

  // Write a position: {rows, cols, mines, shown, first_click, start, noise}, where `shown` has a mark for each cell.
  write(position) {
    const { rows, cols, shown } = position;
    if (rows * cols > MAX_CELLS) throw new Error(`a board of ${rows} x ${cols} is too large for the engine in this page`);
    if (shown.length !== rows * cols) throw new Error(`${shown.length} cells: expected ${rows * cols}`);
    this.reserveBoard(rows * cols);
    const codes = this.bytes(this.shownAt, rows * cols);
    for (let cell = 0; cell < shown.length; cell += 1) {
      const code = CODES.get(shown[cell]);
      if (code === undefined) throw new Error(`“${shown[cell]}” is not a mark of a cell`);
      codes[cell] = code;
    }
    return this.setNoise(position.noise).noisy;
  }

  // The mine probability of every cell (NaN for open ones and known mines), what is certain (1 safe, 2 a mine), the best
  // cell or null, and the natural logarithm of the number of layouts. Flags are known mines unless `trustFlags` is false.
  solve(position, trustFlags = true) {
    const { rows, cols, mines, first_click = "any", start = null } = position;
    const noisy = this.write(position);
    const answer = this.call(
      "solve", rows, cols, mines, this.numberOf("first_click", first_click), start === null ? 0 : 1, noisy, trustFlags ? 1 : 0,
      this.shownAt, this.tableAt, this.chancesAt, this.marksAt, this.numbersAt,
    );
    const guess = Math.floor(answer / 8);
    const isFirst = answer - 8 * guess === ANY_FIRST_CLICK;
    const [chance, logLayouts] = this.reals(this.numbersAt, 2);
    const certain = this.bytes(this.marksAt, rows * cols).slice();
    const safe = isFirst ? [] : cellsWith(certain, 1);
    return {
      status: isFirst ? "ok" : STATUS[answer - 8 * guess],
      probability: this.reals(this.chancesAt, rows * cols).slice(),
      certain,
      safe,
      mines: isFirst ? [] : cellsWith(certain, 2),
      best: safe.length ? safe[0] : guess < 0 ? null : guess,
      guess,
      chance,
      logLayouts,
      firstClickSafe: isFirst,
    };
  }

  // Clues and known mines of an inconsistent position that cannot all be true, and whether the mine count is part of it.
  contradiction(position) {
    const { rows, cols, mines } = position;
    const noisy = this.write(position);
    const answer = this.call("contradict", rows, cols, mines, noisy, this.shownAt, this.tableAt, this.listsAt[0]);
    return { cells: this.list(0, answer >> 1), counted: (answer & 1) === 1 };
  }

  // Clues that prove a cell safe, or a mine, and whether the mine count is needed too.
  proof(position, cell, isMine, trustFlags = true) {
    const { rows, cols, mines } = position;
    const noisy = this.write(position);
    const answer = this.call(
      "explain", rows, cols, mines, noisy, trustFlags ? 1 : 0, cell, isMine ? 1 : 0, this.shownAt, this.tableAt, this.listsAt[0],
    );
    return { clues: this.list(0, answer >> 1), counted: (answer & 1) === 1 };
  }

  // The flags that are certainly wrong, that are proven, and that cannot all be right.
  checkFlags(position) {
    const { rows, cols, mines, first_click = "any", start = null } = position;
    const noisy = this.write(position);
    this.call(
      "check_flags", rows, cols, mines, this.numberOf("first_click", first_click), start === null ? 0 : 1, noisy,
      this.shownAt, this.tableAt, this.marksAt,
    );
    const found = { wrong: [], proven: [], conflicting: [] };
    this.bytes(this.marksAt, rows * cols).forEach((mark, cell) => mark && found[FLAG_WORDS[mark]].push(cell));
    return found;
  }

  // The turn of the agent `exact`.
  exactTurn(position) {
    const { rows, cols, mines, first_click = "any" } = position;
    const noisy = this.write(position);
    const ends = lastMine({ on_mine: "end", ...position });
    const hasChance = this.call(
      "exact_turn", rows, cols, mines, ends, this.numberOf("first_click", first_click), noisy,
      this.shownAt, this.tableAt, ...this.listsAt, this.numbersAt,
    );
    const [opens, flags, unflags, why, fallback, chance] = this.reals(this.numbersAt, 6);
    return {
      open: this.list(0, opens),
      flag: this.list(1, flags),
      unflag: this.list(2, unflags),
      why: REASONS[why],
      probability: hasChance ? chance : null,
      fallback: fallback === 1,
    };
  }

  // The cell to open instead of `cell`, null if there are only mines, and the clues that prove it.
  better(position, cell) {
    const { rows, cols, mines } = position;
    const noisy = this.write(position);
    const best = this.call("better_cell", rows, cols, mines, noisy, cell, this.shownAt, this.tableAt, this.listsAt[0]);
    const proof = this.list(0, 1)[0]; // as that of `explain`, or -1 without a proof
    return { best: best < 0 ? null : best, clues: proof < 0 ? [] : this.list(0, 1 + (proof >> 1)).slice(1), counted: proof >= 0 && (proof & 1) === 1 };
  }

  // The turns of a recorded game, {open, flag, unflag, event}, from what the mouse did: numbers of `mouse_kernels.py`, each
  // with the cell below it, -1 beside the board. `options` are bits.
  playMouse(game, events, options) {
    const count = events.length / 2;
    const at = [2 * count, 4 * count, 8 * count + 8, count].map((length) => this.wasm.reserve(8 * length));
    const view = (which, length) => new BigInt64Array(this.wasm.memory.buffer, at[which], length);
    view(0, 2 * count).set(events.map(BigInt));
    const played = this.call("play_events", count, options, at[0], ...game.memory, ...at.slice(1));
    const marks = [...view(1, 4 * played)].map(Number);
    const numbers = [...view(2, 8 * count + 8)].map(Number);
    let begin = 0;
    return [...view(3, played)].map((event, turn) => {
      const [open, flag, unflag] = marks.slice(4 * turn + 1, 4 * turn + 4).map((length) => numbers.slice(begin, (begin += length)));
      return { open, flag, unflag, event: Number(event) };
    });
  }

  // What a board whose mines are known shows after one more cell has been opened. Flags stay.
  opened({ rows, cols, shown, layout }, cell) {
    const mines = cellsWith([...layout], "*").length;
    const setup = { rows, cols, mines, on_mine: "continue", first_click: "any" };
    if (this.spare?.cells !== rows * cols) this.spare = new Game(this, setup, {});
    Object.assign(this.spare, { setup, seeds: { layout, noise: 0n } }).restart();
    this.spare.take({ flag: cellsWith([...shown], "F"), open: [cell] });
    const after = this.spare.shown;
    return Array.from(shown, (mark, i) => (mark === "." ? after[i] : mark)).join("");
  }

  // Columns of scores on the same boards, the person's first: for each its mean with interval and rank, and how the person
  // does against it. `bounds` are the lowest and the highest score.
  compare(columns, { proportion, more_is_better: isMore, bounds }) {
    const boards = columns[0].length;
    const numbers = columns.flat();
    const needed = numbers.length + COMPARED.length * columns.length;
    if (!(needed <= this.scoresSize)) {
      this.scoresSize = 2 * needed;
      this.scoresAt = this.wasm.reserve(16 * needed);
    }
    this.reals(this.scoresAt, numbers.length).set(numbers);
    const at = this.scoresAt + 8 * numbers.length;
    this.call("compare", boards, columns.length, proportion ? 1 : 0, isMore ? 1 : -1, ...bounds, this.scoresAt, at);
    const found = this.reals(at, COMPARED.length * columns.length);
    return columns.map((_, column) => Object.fromEntries(COMPARED.map((name, i) => [name, found[COMPARED.length * column + i]])));
  }

  // How many mines a density gives.
  minesAt({ rows, cols, density }) {
    return this.call("mines_at", rows, cols, density);
  }

  // How many mines a board may have so that every first click can be protected.
  mostMines({ rows, cols, first_click, start = null }) {
    return this.call("most_mines", rows, cols, this.numberOf("first_click", first_click), start ?? -1);
  }
}

const numberOrNull = (value) => (Number.isNaN(value) ? null : value);

function cellsWith(marks, mark) {
  const found = [];
  marks.forEach((each, cell) => each === mark && found.push(cell));
  return found;
}

// A game: the referee's arrays in the module. `setup` is {rows, cols, mines, on_mine, first_click, start, flood, noise}.
export class Game {
  // `seeds` are those of the board and of its noise, as BigInt. A `layout` (a text of * and .) takes the place of the first,
  // or `layouts`, by the first cell that is opened (-1 if it does not matter).
  constructor(engine, setup, seeds) {
    this.engine = engine;
    this.setup = setup;
    this.seeds = seeds;
    const { rows, cols, flood = true } = setup;
    this.cells = rows * cols;
    engine.reserveBoard(this.cells);
    const { floods } = engine.setNoise(setup.noise);
    this.planesAt = engine.wasm.reserve(3 * this.cells);
    this.countersAt = engine.wasm.reserve(8 * N_COUNTERS);
    this.floods = flood && floods;
    this.restart();
  }

  // Begin again, before the first turn.
  restart() {
    const { rows, cols, mines, first_click, start = null } = this.setup;
    const verdict = this.engine.call("new_game", rows, cols, mines, lastMine(this.setup), this.floods ? 1 : 0, ...this.memory);
    this.ending = VERDICTS[verdict] ?? null;
    if (start !== null) {
      this.deal(start);
      this.ending = VERDICTS[this.engine.call("open_start", start, this.engine.listsAt[0], ...this.memory)] ?? null;
    } else if (first_click === "any" && (this.seeds.board !== undefined || this.seeds.layout)) this.deal(-1);
  }

  get memory() {
    return [this.planesAt, this.countersAt];
  }

  counter(which) {
    return Number(new BigInt64Array(this.engine.wasm.memory.buffer, this.countersAt, N_COUNTERS)[which]);
  }

  get isDealt() {
    return this.counter(DEALT) === 1;
  }

  get over() {
    return this.ending !== null;
  }

  // The mark of every cell.
  get shown() {
    return Array.from(this.engine.bytes(this.planesAt, this.cells), (code) => TEXT.get(code)).join("");
  }

  // The mines: `*`, any other cell `.`.
  get layout() {
    if (!this.isDealt) this.deal(-1);
    return Array.from(this.engine.bytes(this.planesAt + this.cells, this.cells), (code) => (code === MARKS["*"] ? "*" : ".")).join("");
  }

  // Make the board; `first` is the first cell that is opened, or -1.
  deal(first) {
    const { engine, seeds } = this;
    const { mines, first_click, noise } = this.setup;
    const layout = seeds.layout ?? seeds.layouts?.get(first);
    if (layout) {
      this.engine.bytes(engine.marksAt, this.cells).set(Array.from(layout, (mark) => (mark === "*" ? 1 : 0)));
      engine.call("set_layout", engine.marksAt, ...this.memory);
    } else engine.call("deal", mines, engine.numberOf("first_click", first_click), first, ...halves(seeds.board), ...this.memory);
    if (engine.setNoise(noise).noisy) engine.call("blur_clues", ...halves(seeds.noise), engine.tableAt, ...this.memory);
  }

  // Carry out a turn: {open, flag, unflag, why, fallback}. False if it breaks a rule: then it was carried out in part.
  take({ open = [], flag = [], unflag = [], why = "guess", fallback = false }) {
    const { engine } = this;
    if (this.over) return false;
    if (!open.length && !flag.length && !unflag.length) {
      this.ending = "gave up";
      return true;
    }
    if (open.length && !this.isDealt) this.deal(open[0]);
    engine.writeList(0, [...unflag, ...flag, ...open]);
    const verdict = engine.call(
      "take_turn", unflag.length, flag.length, open.length, REASONS.indexOf(why), fallback ? 1 : 0, engine.listsAt[0], ...this.memory,
    );
    if (verdict >= VERDICTS.length) return false;
    this.ending = VERDICTS[verdict];
    return true;
  }

  // The cells that a click on a clue opens; null if it opens none.
  chord(cell) {
    const count = this.engine.call("chord", cell, ...this.memory, this.engine.listsAt[0]);
    return count === NO_CHORD ? null : this.engine.list(0, count);
  }

  // The finished game in numbers; `clicks` and `seconds` are those of a person.
  result({ clicks = 0, seconds = 0 } = {}) {
    const { engine } = this;
    if (!this.isDealt && this.counter(COUNTERS.indexOf("flags"))) this.deal(-1);
    engine.call("count_result", this.setup.mines, this.ending === "won" ? 1 : 0, clicks, seconds ?? 0, ...this.memory, engine.numbersAt);
    const [right, threeBv, identified, safeOpened, efficiency, pace] = engine.reals(engine.numbersAt, 6);
    const counted = Object.fromEntries(COUNTERS.slice(0, 7).map((name, i) => [name, this.counter(i)]));
    const { flags, ...rest } = counted;
    return {
      ...rest,
      ending: this.ending,
      won: this.ending === "won",
      right_flags: right,
      wrong_flags: flags - right,
      clicks: counted.cells_clicked + this.counter(FLAG_CLICKS),
      three_bv: threeBv,
      efficiency: numberOrNull(efficiency),
      pace: numberOrNull(pace),
      scores: { identified, win: this.ending === "won" ? 1 : 0, "safe-opened": safeOpened },
    };
  }

  // The true number of every open cell that shows another, by cell.
  lies() {
    const { engine } = this;
    engine.call("true_clues", ...this.memory, engine.marksAt);
    const truth = engine.bytes(engine.marksAt, this.cells);
    const shown = engine.bytes(this.planesAt, this.cells);
    const found = {};
    shown.forEach((code, cell) => {
      if (code >= 0 && truth[cell] >= 0 && code !== truth[cell]) found[cell] = truth[cell];
    });
    return found;
  }

  // The 3BV of the board.
  threeBv() {
    return this.engine.call("board_three_bv", ...this.memory);
  }
}

// The upper and the lower 32 bits of a seed.
function halves(seed) {
  return [Number(seed >> 32n) | 0, Number(seed & 0xffffffffn) | 0];
}
