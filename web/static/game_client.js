// A person's game on the server. Moves are sent one after the other in the order of the clicks, and none is lost; the
// hint and the probabilities are fetched beside them, and dropped if the position has changed meanwhile. If the server no
// longer has the game, it is played again from the turns that the browser has kept.

import { fetchOptions, isSite, request } from "./api.js";
import { expandRuns, frontierOf } from "./cell_view.js";
import { asHint, certainPart } from "./hints.js";
import { localRequest } from "./local_games.js";
import { forgetGame, saveTurns, savedRequest } from "./saved_games.js";
import { TurnLog } from "./turn_log.js";

// A site has no server: its games are in the page.
const gameRequest = isSite ? async (path, body) => localRequest(path, body, await fetchOptions()) : request;

const GONE = 404;
const CONFLICT = 409;
const REPLAYED = "The server no longer had this game: it was played again up to here.";
const REFRESHED = "The game went on elsewhere, perhaps in another tab: this is its present position.";

export class GameClient {
  // `changed()` is called after every change, `failed(error)` when a request fails.
  constructor(changed, failed) {
    this.changed = changed;
    this.failed = failed;
    this.state = null; // the game, as the server last sent it
    this.wants = { hint: false, odds: false };
    this.moves = Promise.resolve();
    this.waiting = 0; // moves that are not answered yet
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
    this.turn = null; // the turn of the hint, as the server sent it
    this.kept = goesOn ? certainPart(this.hint ?? this.kept) : null; // what stays of the last hint until the next is there
    this.hint = null; // the turn of the hint, as the board draws it
    this.odds = null; // {percent, frontier, background, status, firstClickSafe}
    this.refused = {}; // what could not be fetched for this position
  }

  // Run `task` after all earlier ones; an error of it does not stop the later ones.
  enqueue(task) {
    this.waiting += 1;
    this.asking?.abort(); // the position is about to change, and whoever is thinking about it may think long
    this.moves = this.moves.then(async () => {
      try {
        if (!this.closed) await task();
      } catch (error) {
        await this.recover(error);
      } finally {
        this.waiting -= 1;
        if (!this.closed) this.changed();
      }
      this.fetch();
    });
    this.changed();
    return this.moves;
  }

  // Start a new game; `body` is that of the request.
  start(body) {
    return this.enqueue(async () => {
      const state = await gameRequest("/api/games", body);
      this.started += 1;
      this.show(state, true);
    });
  }

  // Go on with a game that the server has, or that it has had.
  async resume(id) {
    try {
      this.show(await gameRequest(`/api/games/${id}`), true);
    } catch (error) {
      if (error.status !== GONE || !(await this.restore(id))) throw error;
    }
    this.fetch();
  }

  // Have a game played again that the server no longer has; whether the browser has kept it. An error of the server says
  // why it cannot be played again.
  async restore(id) {
    const body = savedRequest(id);
    if (!body) return false;
    const state = await gameRequest("/api/games", body);
    forgetGame(id);
    this.note = isSite ? "" : REPLAYED;
    this.show({ ...state, saved: body.saved.turns }, true);
    return true;
  }

  // A request failed: show the game as it is now, if it went on elsewhere or the server has forgotten it.
  async recover(error) {
    const id = this.state?.id;
    if (id && (error.status === CONFLICT || error.status === GONE)) {
      try {
        const { version } = this.state;
        await this.resume(id);
        if (this.state.id !== id) return; // it was played again
        if (this.state.version !== version) {
          this.note = REFRESHED;
          return;
        }
      } catch {
        // the first error says what is wrong
      }
    }
    this.failed(error);
  }

  // Send a move; `isPossible(state)` is asked when its turn has come. `help` says what the page showed: {hints, odds}. A move
  // on a board that is about to be replaced by a new game is not sent.
  move(action, cell, help, isPossible) {
    const { started } = this;
    return this.enqueue(async () => {
      const isHere = this.state && !this.state.over && started === this.started;
      if (isHere && isPossible(this.state)) await this.post("moves", { action, cell, ...help });
    });
  }

  undo() {
    return this.enqueue(async () => {
      if (this.state?.turns) await this.post("undo", {}, false);
    });
  }

  changeAdviser(agent) {
    return this.enqueue(async () => this.show(await gameRequest(`/api/games/${this.state.id}/adviser`, { agent })));
  }

  // Let the agent take its turn; the answer is whether it did anything.
  async step() {
    let acted = false;
    await this.enqueue(async () => {
      if (!this.state || this.state.over) return;
      const { turn } = await this.post("step", {});
      acted = turn.open.length + turn.flag.length + turn.unflag.length > 0;
    });
    return acted;
  }

  // Change the position that is shown; `goesOn` says that no turn is taken back.
  async post(path, body, goesOn = true) {
    const send = () => gameRequest(`/api/games/${this.state.id}/${path}`, { ...body, version: this.state.version });
    this.note = "";
    const state = await send().catch(async (error) => {
      if (error.status !== GONE || !(await this.restore(this.state.id))) throw error;
      return send();
    });
    this.show(state, false, goesOn);
    return state;
  }

  // Keep the turns of the game in the browser.
  async save() {
    const { id, undone } = this.state;
    if (!this.log.follow(this.state)) this.log = new TurnLog((await gameRequest(`/api/games/${id}`)).saved);
    if (id === this.state.id) saveTurns(id, { turns: this.log.text, undone, seconds: this.seconds() });
  }

  show(state, isNew = false, goesOn = false) {
    const before = isNew ? undefined : this.state?.shown;
    if (isNew) this.log = new TurnLog(state.saved);
    this.state = state;
    this.receivedAt = performance.now();
    this.isNew = isNew;
    this.differences = new Set();
    if (before) for (let i = 0; i < before.length; i += 1) if (before[i] !== state.shown[i]) this.differences.add(i);
    this.forget(goesOn);
    this.changed();
    this.save().catch(() => {}); // the game can be played, but not again
  }

  // Seconds on the clock of the game; null before its first cell was opened.
  seconds() {
    const { seconds, over } = this.state;
    return seconds === null || over ? seconds : seconds + (performance.now() - this.receivedAt) / 1000;
  }

  want(what, on) {
    this.wants[what] = on;
    this.fetch();
  }

  // Fetch what is wanted of the present position; `fetched` is settled when it is known or given up.
  fetch() {
    if (!this.fetching) this.fetched = this.fetchAll();
  }

  // One request at a time, until all is known or moves are waiting.
  async fetchAll() {
    this.fetching = true;
    try {
      let what = this.missing();
      while (what && !this.waiting) {
        const { version, state } = this;
        this.changed();
        try {
          this.asking = new AbortController();
          const answer = await gameRequest(`/api/games/${state.id}/${what}`, { version: state.version }, this.asking.signal);
          if (version === this.version) this.keep(what, answer);
        } catch (error) {
          if (version === this.version && !this.asking.signal.aborted) {
            this.refused[what] = true;
            this.enqueue(() => Promise.reject(error)); // after the moves that are waiting
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
      return;
    }
    const percent = expandRuns(answer.percent);
    this.odds = { percent, ...frontierOf(this.state, percent), status: answer.status, firstClickSafe: answer.first_click_safe };
  }

  close() {
    this.closed = true;
    this.asking?.abort();
  }
}
