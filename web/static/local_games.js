// A person's games, in the page itself: the engine's referee, and its hints of `exact`. The server is asked for the turns of
// other agents, and for boards of sources that the engine does not know.

import { ApiError, isSite, request } from "./api.js";
import { Game } from "./engine.js";
import { engineFor } from "./engine_source.js";
import { fillRules } from "./rules.js";
import { boardSeeds } from "./seeds.js";
import { percentages } from "./solving.js";

const UNIFORM = "uniform"; // the source whose boards the engine deals
const NO_CELL = -1;
const RANDOM_SEEDS = 1_000_000;
const WORD = /^(?:u([\d.]+))?(?:f([\d.]+))?(?:o([\d.]+))?(a?)(h?)(p?)$/;

// A game: `body` has its size as a preset or as rows, cols and mines or density, its rules, noise and board, the agent for
// hints, and `saved` if the browser has kept it: {turns, undone, seconds}. ApiError if there can be no such game.
export async function newGame({ saved, agent, ...body }, options, id = `local-${randomWord()}`) {
  const engine = await engineFor(body.noise);
  const setup = readSetup(engine, body, options);
  const layouts = setup.source === UNIFORM || setup.layout ? null : new Layouts(setup);
  if (setup.start !== null || setup.first_click === "any") await layouts?.deal(setup.start ?? NO_CELL);
  const game = new LocalGame(engine, setup, { id, agent, layouts, inPage: options.in_page });
  if (saved) await game.restore(saved);
  return game;
}

function readSetup(engine, body, options) {
  const { source = UNIFORM, noise, number = 0, layout = null } = body;
  const rules = fillRules(body, options);
  const { first_click, start } = rules;
  if (source !== UNIFORM && isSite) throw new ApiError(422, `boards of “${source}” need a server: start sweepstakes serve`);
  const size = body.preset ? options.presets[body.preset] : body;
  const { rows, cols } = size;
  const mines = size.mines ?? engine.minesAt(size);
  const setup = { rows, cols, mines, ...rules, noise, number, source, layout, seed: body.seed ?? Math.floor(Math.random() * RANDOM_SEEDS) };
  if (layout !== null && layout.length !== rows * cols) throw new ApiError(422, `a layout of ${layout.length} cells is not that of ${rows} x ${cols}`);
  if (start !== null && start >= rows * cols) throw new ApiError(422, `start cell ${start} is not on a board of ${rows} x ${cols}`);
  const most = engine.mostMines(setup);
  if (!(mines >= 0 && mines <= most)) {
    const why = first_click === "any" ? "" : ` leave no room for a first click that is ${first_click === "opening" ? "a blank" : "safe"}`;
    throw new ApiError(422, `${mines} mines on ${rows} x ${cols}${why}: expected at most ${most}`);
  }
  return setup;
}

const randomWord = () => Math.random().toString(36).slice(2);

// The boards of a game that the server deals, by the first cell that is opened.
class Layouts extends Map {
  constructor({ layout: _layout, ...setup }) {
    super();
    this.setup = setup;
  }

  async deal(first) {
    if (this.has(first)) return;
    const { layout } = await request("api/positions/deal", { ...this.setup, ...(first === NO_CELL ? {} : { first }) });
    this.set(first, layout);
  }
}

export class LocalGame {
  // `agent` gives the hints; those of `inPage` come from the engine. `layouts` deals the board if the engine does not.
  constructor(engine, setup, { id, agent, inPage = agent, layouts = null, clock = () => performance.now() / 1000 }) {
    this.id = id;
    this.engine = engine;
    this.setup = setup;
    this.agent = agent;
    this.inPage = inPage;
    this.layouts = layouts;
    this.clock = clock;
    this.game = new Game(engine, setup, { ...boardSeeds(setup), layout: setup.layout, layouts });
    this.turns = []; // {open, flag, unflag, why, fallback, byAgent, hints, odds}
    this.agentFlags = [new Set()]; // those that the agent has set or suggested, after 0, 1, 2, ... turns
    this.undone = 0;
    this.began = null; // when the first cell was opened
    this.seconds = null; // up to the end of the game
    this.known = null; // the hint for this position: {turn, suggested, answer}
    this.asking = null; // the promise of it
    this.startAgent();
  }

  // An agent may remember the game: one that has seen a turn which was taken back, or other turns, begins again.
  startAgent() {
    this.agentGame = randomWord();
    this.forgetHint();
  }

  forgetHint() {
    this.known = null;
    this.asking = null;
  }

  changeAdviser(agent) {
    this.agent = agent;
    this.startAgent();
  }

  position(shown = this.game.shown) {
    const { layout: _layout, ...setup } = this.setup;
    return { ...setup, shown };
  }

  state() {
    const { game, setup, turns } = this;
    const { rows, cols, mines, noise, number, source, seed, layout: given, ...rules } = setup;
    const { start } = rules;
    const { shown } = game;
    const state = {
      id: this.id, rows, cols, mines, shown, noise, number, source, seed, given, agent: this.agent,
      detonated: [...shown].filter((mark) => mark === "*").length,
      left: mines - [...shown].filter((mark) => mark === "F" || mark === "*").length,
      turns: turns.length,
      clicks: turns.filter((turn) => !turn.byAgent).length,
      with_hints: turns.filter((turn) => turn.hints).length,
      with_odds: turns.filter((turn) => turn.odds).length,
      undone: this.undone,
      seconds: this.elapsed(),
      over: game.over,
      rules: { ...rules, start: start === null ? null : [Math.floor(start / cols), start % cols] },
    };
    if (!game.over) return state;
    const { clicks, seconds } = state;
    return {
      ...state,
      layout: game.layout,
      result: { rows, cols, mines, ...game.result({ clicks, seconds }), gave_up: game.ending === "gave up" },
      three_bv: rules.flood ? game.threeBv() : null,
      lies: game.lies(),
    };
  }

  elapsed() {
    if (this.seconds !== null || this.began === null) return this.seconds;
    return this.clock() - this.began;
  }

  saved() {
    return this.turns.map(wordOf).join(" ");
  }

  // Play the turns of a game that the browser has kept.
  async restore({ turns, undone, seconds }) {
    for (const word of turns.split(" ").filter(Boolean)) {
      const turn = readWord(word);
      if (!turn || this.game.over) throw new ApiError(422, `“${word.slice(0, 40)}” is not a turn of this game`);
      await this.take(turn, turn.byAgent ? turn.flag : []);
    }
    this.undone = undone;
    if (seconds !== null && this.began !== null) {
      this.began = this.clock() - seconds;
      this.seconds = this.game.over ? seconds : null;
    }
  }

  async move({ action, cell, hints = false, odds = false }) {
    if (this.game.over) throw new ApiError(409, "the game is over");
    const suggested = this.known?.suggested.includes(cell) ? [cell] : [];
    await this.take({ ...this.turnOf(action, cell), hints, odds }, suggested);
  }

  // The turn of a click: open, flag or chord.
  turnOf(action, cell) {
    const mark = this.game.shown[cell];
    if (action === "flag") return mark === "F" ? { unflag: [cell] } : { flag: [cell], why: "proof" };
    if (action === "open") return { open: [cell], why: this.known?.turn.open.includes(cell) ? this.known.turn.why : "guess" };
    const open = this.game.chord(cell);
    if (!open) throw new ApiError(409, "a clue opens its neighbours when just as many of them are flagged as it says");
    return { open, why: "guess" };
  }

  async take(turn, suggested) {
    if (turn.open?.length && !this.game.isDealt) await this.layouts?.deal(turn.open[0]);
    if (!this.game.take(turn)) {
      this.replay(this.turns);
      throw new ApiError(409, "the move breaks the rules");
    }
    this.turns.push({ open: [], flag: [], unflag: [], ...turn });
    if (this.began === null && turn.open?.length) this.began = this.clock();
    if (this.game.over) this.seconds = this.elapsed();
    const { shown } = this.game;
    this.agentFlags.push(new Set([...this.agentFlags.at(-1), ...suggested].filter((cell) => shown[cell] === "F")));
    this.forgetHint();
  }

  replay(turns) {
    this.game.restart();
    for (const turn of turns) this.game.take(turn);
  }

  undo() {
    if (!this.turns.length) throw new ApiError(409, "there is no turn to take back");
    this.turns.pop();
    this.agentFlags.pop();
    this.replay(this.turns);
    this.seconds = null;
    if (!this.turns.some((turn) => turn.open.length)) this.began = null;
    this.undone += 1;
    this.startAgent();
  }

  // The probabilities do not depend on flags: a person may have set a wrong one.
  odds() {
    const { shown } = this.game;
    const found = this.engine.solve(this.position(shown.replaceAll("F", ".")), false);
    return { percent: percentages(found), status: found.status, firstClickSafe: found.firstClickSafe };
  }

  // The hint for this position; an agent is asked once. ApiError if the agent fails, or the position changes meanwhile.
  async hint() {
    if (this.game.over) throw new ApiError(409, "the game is over");
    const asking = (this.asking ??= this.makeHint());
    try {
      const found = await asking;
      if (this.asking !== asking) throw new ApiError(409, "the position changed while the agent was thinking");
      this.known = found;
      return found.answer;
    } catch (error) {
      if (this.asking === asking) this.asking = null;
      throw error;
    }
  }

  // Take the turn of the hint, and say whether it does anything: if the agent gives up, the position stays.
  async step() {
    const { open, flag, unflag } = await this.hint();
    const { turn, suggested } = this.known;
    const acts = open.length + flag.length + unflag.length > 0;
    if (acts) await this.take({ ...turn, byAgent: true }, suggested);
    return acts;
  }

  // The turn of the agent in a position.
  async turnIn(position) {
    if (this.agent === this.inPage) return exactTurn(this.engine, position);
    return request("api/positions/turn", { ...position, agent: this.agent, game: this.agentGame });
  }

  // The agent sees the flags that it set itself and those that the clues prove: any other is the person's guess, and the
  // agent sees a covered cell there.
  async makeHint() {
    const { engine } = this;
    const { shown } = this.game;
    const own = [...shown].flatMap((mark, cell) => (mark === "F" && !this.agentFlags.at(-1).has(cell) ? [cell] : []));
    const checked = own.length ? engine.checkFlags(this.position()) : { wrong: [], proven: [], conflicting: [] };
    let unproven = own.filter((cell) => !checked.proven.includes(cell));
    let turn;
    let flag;
    let unflag;
    let suggested;
    for (;;) {
      turn = await this.turnIn(this.position(without(shown, unproven)));
      suggested = turn.flag;
      flag = turn.flag.filter((cell) => !unproven.includes(cell));
      unflag = [...turn.unflag, ...unproven.filter((cell) => turn.open.includes(cell))];
      if (!suggested.some((cell) => unproven.includes(cell)) || turn.open.length || flag.length || unflag.length) {
        turn = { ...turn, flag, unflag };
        break;
      }
      unproven = unproven.filter((cell) => !suggested.includes(cell)); // it sets only flags that the person has set: ask again
    }
    const exact = engine.solve(this.position(without(shown, [...shown].flatMap((mark, cell) => (mark === "F" ? [cell] : [])))), false);
    const covered = (cells) => cells.filter((cell) => shown[cell] === ".");
    const answer = {
      ...turn,
      flags: { wrong: checked.wrong, conflicting: checked.conflicting, unproven: unproven.filter((cell) => !checked.wrong.includes(cell)) },
      first_click_safe: exact.firstClickSafe,
      certain: exact.firstClickSafe ? { safe: [], mines: [] } : { safe: covered(exact.safe), mines: covered(exact.mines) },
    };
    return { turn, suggested, answer };
  }
}

// The turn of `exact` in a position; for each cell that it proves the clues that do, found when they are asked for.
export function exactTurn(engine, position) {
  const turn = engine.exactTurn(position);
  const evidence = {};
  const isExact = !engine.setNoise(position.noise).noisy;
  const add = (cell, isMine) => {
    let clues;
    Object.defineProperty(evidence, cell, {
      enumerable: true,
      get: () => (clues ??= engine.proof(position, cell, isMine, isExact).clues),
    });
  };
  if (turn.why === "proof") turn.open.forEach((cell) => add(cell, false));
  if (isExact) turn.flag.forEach((cell) => add(cell, true));
  return { ...turn, evidence };
}

function without(shown, flags) {
  const marks = [...shown];
  for (const cell of flags) marks[cell] = ".";
  return marks.join("");
}

function wordOf({ open, flag, unflag, byAgent, hints, odds }) {
  const part = (letter, cells) => (cells.length ? letter + cells.join(".") : "");
  return part("u", unflag) + part("f", flag) + part("o", open) + (byAgent ? "a" : "") + (hints ? "h" : "") + (odds ? "p" : "");
}

function readWord(word) {
  const found = word.match(WORD);
  if (!found) return null;
  const [unflag, flag, open] = found.slice(1, 4).map((part) => (part ?? "").split(".").filter(Boolean).map(Number));
  const [byAgent, hints, odds] = found.slice(4).map(Boolean);
  return { open, flag, unflag, why: open.length ? "guess" : "proof", byAgent, hints, odds };
}
