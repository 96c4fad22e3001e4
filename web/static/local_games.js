// A person's games in the page itself, by the engine's referee, with hints of `exact`. The requests and answers are those
// of the server's games (`game_client.js`), so that the Play page works with either.

import { ApiError } from "./api.js";
import { Game } from "./engine.js";
import { engineFor } from "./engine_source.js";
import { boardSeeds } from "./seeds.js";
import { percentages } from "./solving.js";

const MAX_GAMES = 4; // they are also kept as turns, and played again
const RANDOM_SEEDS = 1_000_000;
const WORD = /^(?:u([\d.]+))?(?:f([\d.]+))?(?:o([\d.]+))?(a?)(h?)(p?)$/;

const games = new Map(); // by id

// Answer a request about a game: a body for a POST.
export async function localRequest(path, body, { presets }) {
  const [id, action] = path.split("/").slice(3);
  if (id === undefined) return create(body, presets);
  const game = games.get(id);
  if (!game) throw new ApiError(404, "there is no such game here: start a new one");
  if (action === undefined) return { ...game.state(), saved: game.saved() };
  if (body.version !== undefined && body.version !== game.changes) throw new ApiError(409, "this game went on elsewhere");
  return { moves: () => game.move(body), undo: () => game.undo(), hint: () => game.hint(), step: () => game.step(), odds: () => game.odds(), adviser: () => game.state() }[action]();
}

async function create({ saved, ...body }, presets) {
  const engine = await engineFor(body.noise);
  const session = new LocalGame(engine, readSetup(engine, body, presets));
  if (saved) session.restore(saved);
  games.set(session.id, session);
  if (games.size > MAX_GAMES) games.delete(games.keys().next().value);
  return session.state();
}

// The setup of a game from the body of a request; ApiError if there can be no such game.
function readSetup(engine, body, presets) {
  const { source = "uniform", noise = "exact-clues", on_mine = "continue", first_click = "opening", flood = true, start = null, number = 0 } = body;
  if (source !== "uniform") throw new ApiError(422, `boards of “${source}” need a server: start sweepstakes serve`);
  const size = body.preset ? presets[body.preset] : body;
  const { rows, cols } = size;
  const mines = size.mines ?? Math.floor(size.density * rows * cols + 0.5);
  const setup = { rows, cols, mines, on_mine, first_click, flood, start, noise, number, source, seed: body.seed ?? Math.floor(Math.random() * RANDOM_SEEDS) };
  if (start !== null && start >= rows * cols) throw new ApiError(422, `start cell ${start} is not on a board of ${rows} x ${cols}`);
  const most = engine.mostMines(setup);
  if (!(mines >= 0 && mines <= most)) {
    const why = first_click === "any" ? "" : ` leave no room for a first click that is ${first_click === "opening" ? "a blank" : "safe"}`;
    throw new ApiError(422, `${mines} mines on ${rows} x ${cols}${why}: expected at most ${most}`);
  }
  return setup;
}

export class LocalGame {
  constructor(engine, setup, clock = () => performance.now() / 1000) {
    this.id = `local-${Math.random().toString(36).slice(2)}`;
    this.engine = engine;
    this.setup = setup;
    this.clock = clock;
    this.game = new Game(engine, setup, boardSeeds(setup));
    this.turns = []; // {open, flag, unflag, why, fallback, byAgent, hints, odds}
    this.agentFlags = [new Set()]; // those that exact has set or suggested, after 0, 1, 2, ... turns
    this.undone = 0;
    this.changes = 0;
    this.began = null; // when the first cell was opened
    this.seconds = null; // up to the end of the game
    this.known = null; // the hint for this position
  }

  position(shown = this.game.shown) {
    return { ...this.setup, shown };
  }

  state() {
    const { game, setup, turns } = this;
    const { rows, cols, mines, on_mine, first_click, flood, start, noise, number, source, seed } = setup;
    const { shown } = game;
    const state = {
      id: this.id, rows, cols, mines, shown, noise, number, source, seed, agent: "exact",
      left: mines - [...shown].filter((mark) => mark === "F" || mark === "*").length,
      version: this.changes,
      turns: turns.length,
      last: turns.length ? wordOf(turns.at(-1)) : "",
      clicks: turns.filter((turn) => !turn.byAgent).length,
      with_hints: turns.filter((turn) => turn.hints).length,
      with_odds: turns.filter((turn) => turn.odds).length,
      undone: this.undone,
      seconds: this.elapsed(),
      over: game.over,
      rules: { on_mine, first_click, flood, start: start === null ? null : [Math.floor(start / cols), start % cols] },
    };
    if (!game.over) return state;
    return {
      ...state,
      layout: game.layout,
      result: { rows, cols, mines, ...game.result(), gave_up: game.ending === "gave up" },
      three_bv: flood ? game.threeBv() : null,
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
  restore({ turns, undone, seconds }) {
    for (const word of turns.split(" ").filter(Boolean)) {
      const turn = readWord(word);
      if (!turn || this.game.over) throw new ApiError(422, `“${word.slice(0, 40)}” is not a turn of this game`);
      this.take(turn, turn.byAgent ? turn.flag : []);
    }
    this.undone = undone;
    if (seconds !== null && this.began !== null) {
      this.began = this.clock() - seconds;
      this.seconds = this.game.over ? seconds : null;
    }
  }

  move({ action, cell, hints = false, odds = false }) {
    if (this.game.over) throw new ApiError(409, "the game is over");
    const suggested = this.known?.suggested.includes(cell) ? [cell] : [];
    this.take({ ...this.turnOf(action, cell), hints, odds }, suggested);
    return this.state();
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

  take(turn, suggested) {
    if (!this.game.take(turn)) {
      this.replay(this.turns);
      throw new ApiError(409, "the move breaks the rules");
    }
    this.turns.push({ open: [], flag: [], unflag: [], ...turn });
    if (this.began === null && turn.open?.length) this.began = this.clock();
    if (this.game.over) this.seconds = this.elapsed();
    const { shown } = this.game;
    this.agentFlags.push(new Set([...this.agentFlags.at(-1), ...suggested].filter((cell) => shown[cell] === "F")));
    this.changes += 1;
    this.known = null;
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
    this.changes += 1;
    this.undone += 1;
    this.known = null;
    return this.state();
  }

  // The probabilities do not depend on flags: a person may have set a wrong one.
  odds() {
    const { shown } = this.game;
    const found = this.engine.solve(this.position(shown.replaceAll("F", ".")), false);
    const percent = percentages(found).flatMap((value) => [value, 1]);
    return { percent, status: found.status, first_click_safe: found.firstClickSafe };
  }

  hint() {
    if (this.game.over) throw new ApiError(409, "the game is over");
    this.known ??= this.makeHint();
    return this.known.answer;
  }

  // Take the turn of the hint; if exact gives up, the position stays.
  step() {
    const answer = this.hint();
    const { suggested } = this.known;
    if (answer.open.length + answer.flag.length + answer.unflag.length) this.take({ ...this.known.turn, byAgent: true }, suggested);
    return { ...this.state(), turn: answer };
  }

  // exact sees the flags that it set itself and those that the clues prove: any other is the person's guess, and exact sees
  // a covered cell there.
  makeHint() {
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
      const bare = this.position(without(shown, unproven));
      turn = engine.exactTurn(bare);
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
      evidence: this.evidence(turn, this.position(without(shown, unproven))),
      flags: { wrong: checked.wrong, conflicting: checked.conflicting, unproven: unproven.filter((cell) => !checked.wrong.includes(cell)) },
      first_click_safe: exact.firstClickSafe,
      certain: exact.firstClickSafe ? { safe: [], mines: [] } : { safe: covered(exact.safe), mines: covered(exact.mines) },
    };
    return { turn, suggested, answer };
  }

  // For each cell that a turn proves the clues that do, found when they are asked for.
  evidence(turn, position) {
    const found = {};
    const isExact = !this.engine.setNoise(position.noise).noisy;
    const add = (cell, isMine) => {
      let clues;
      Object.defineProperty(found, cell, {
        enumerable: true,
        get: () => (clues ??= this.engine.proof(position, cell, isMine, isExact).clues),
      });
    };
    if (turn.why === "proof") turn.open.forEach((cell) => add(cell, false));
    if (isExact) turn.flag.forEach((cell) => add(cell, true));
    return found;
  }
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
