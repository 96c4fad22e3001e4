// A person's game as the Play page shows it. Moves are carried out one after the other in the order of the clicks, and none
// is lost; the hint and the probabilities are fetched at the same time, and dropped if the position has changed meanwhile.

import { ApiError } from "./api.js";
import { frontierOf } from "./cell_view.js";
import { asHint, certainPart } from "./hints.js";
import { newGame } from "./local_games.js";
import { saveTurns, savedRequest } from "./saved_games.js";

export class GameClient {
  // `options` are those of the server. `changed()` is called after every change, `failed(error)` when something fails.
  constructor(options, changed, failed) {
    this.options = options;
    this.changed = changed;
    this.failed = failed;
    this.game = null;
    this.state = null; // of the game
    this.wants = { hint: false, odds: false };
    this.moves = Promise.resolve();
    this.waiting = 0; // moves that are not carried out yet
    this.started = 0; // games that were started here
    this.fetching = false;
    this.forget();
  }

  get busy() {
    return this.waiting > 0 || this.fetching;
  }

  // Forget what belongs to the position before; `goesOn` says that the new position follows from it, so that cells which
  // were certain still are.
  forget(goesOn = false) {
    this.version = (this.version ?? 0) + 1;
    this.turn = null; // the turn of the hint
    this.kept = goesOn ? certainPart(this.hint ?? this.kept) : null; // what stays of the last hint until the next is there
    this.hint = null; // the turn of the hint, as the board draws it
    this.odds = null; // {percent, frontier, background, status, firstClickSafe}
    this.refused = {}; // what could not be fetched for this position
  }

  // Run `task` after all earlier ones; an error of it does not stop the later ones.
  enqueue(task) {
    this.waiting += 1;
    this.giveUp?.(); // the position is about to change, and an agent may think about it for a long time
    this.moves = this.moves.then(async () => {
      try {
        if (!this.closed) await task();
      } catch (error) {
        this.failed(error);
      } finally {
        this.waiting -= 1;
        if (!this.closed) this.changed();
      }
      this.fetch();
    });
    this.changed();
    return this.moves;
  }

  // Start a new game; `body` describes it (see `newGame`).
  start(body) {
    return this.enqueue(async () => {
      const game = await newGame(body, this.options);
      this.started += 1;
      this.open(game);
    });
  }

  // Go on with a game that the browser has kept.
  async resume(id) {
    const body = savedRequest(id);
    if (!body) throw new ApiError(404, "this browser has not kept the game");
    this.open(await newGame(body, this.options, id));
    this.fetch();
  }

  open(game) {
    this.game = game;
    this.show(true);
  }

  // Make a move; `isPossible(game)` is asked when its turn has come. `help` says what the page showed: {hints, odds}. A move
  // on a board that is about to be replaced by a new game is not made.
  move(action, cell, help, isPossible) {
    const { started } = this;
    return this.enqueue(async () => {
      const isHere = this.state && !this.state.over && started === this.started;
      if (!isHere || !isPossible(this.game.game)) return;
      await this.game.move({ action, cell, ...help });
      this.show(false, true);
    });
  }

  undo() {
    return this.enqueue(async () => {
      if (!this.state?.turns) return;
      this.game.undo();
      this.show();
    });
  }

  changeAdviser(agent) {
    return this.enqueue(async () => {
      this.game.changeAdviser(agent);
      this.show();
    });
  }

  // Let the agent take its turn; the answer is whether it did anything.
  async step() {
    let acted = false;
    await this.enqueue(async () => {
      if (!this.state || this.state.over) return;
      acted = await this.game.step();
      if (acted) this.show(false, true);
    });
    return acted;
  }

  // Show the game as it is now; `goesOn` says that no turn was taken back.
  show(isNew = false, goesOn = false) {
    const before = isNew ? undefined : this.state?.shown;
    const state = this.game.state();
    this.state = state;
    this.isNew = isNew;
    this.differences = new Set();
    if (before) for (let i = 0; i < before.length; i += 1) if (before[i] !== state.shown[i]) this.differences.add(i);
    this.forget(goesOn);
    this.changed();
    saveTurns(state.id, { turns: this.game.saved(), undone: state.undone, seconds: state.seconds });
  }

  // Seconds on the clock of the game; null before its first cell was opened.
  seconds() {
    return this.game.elapsed();
  }

  want(what, on) {
    this.wants[what] = on;
    this.fetch();
  }

  // Fetch again what could not be fetched.
  again() {
    this.refused = {};
    this.fetch();
  }

  // Fetch what is wanted of the present position; `fetched` is settled when it is known or given up.
  fetch() {
    if (!this.fetching) this.fetched = this.fetchAll();
  }

  // One question at a time, until all is known or moves are waiting.
  async fetchAll() {
    this.fetching = true;
    try {
      let what = this.missing();
      while (what && !this.waiting) {
        const { version, game } = this;
        this.changed();
        try {
          const givenUp = new Promise((done) => {
            this.giveUp = done;
          });
          const answer = await Promise.race([what === "hint" ? game.hint() : game.odds(), givenUp]);
          if (answer && version === this.version) this.keep(what, answer);
        } catch (error) {
          if (version === this.version && !this.closed) {
            this.refused[what] = true;
            this.failed(error);
          }
        }
        what = this.missing();
      }
    } finally {
      this.fetching = false;
      if (!this.closed) this.changed();
    }
  }

  missing() {
    if (!this.state || this.state.over || this.closed) return null;
    if (this.wants.hint && !this.hint && !this.refused.hint) return "hint";
    return this.wants.odds && !this.odds && !this.refused.odds ? "odds" : null;
  }

  keep(what, answer) {
    if (what === "hint") {
      this.turn = answer;
      this.hint = asHint(answer);
    } else this.odds = { ...answer, ...frontierOf(this.state, answer.percent) };
  }

  close() {
    this.closed = true;
    this.giveUp?.();
  }
}
