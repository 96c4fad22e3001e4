// A person's game on the server. Moves are sent one after the other in the order of the clicks, and none is lost; the
// hint and the probabilities are fetched beside them, and dropped if the position has changed meanwhile.

import { request } from "./api.js";
import { asHint, expandRuns, frontierOf } from "./cell_view.js";

export class GameClient {
  // `changed()` is called after every change, `failed(error)` when a request fails.
  constructor(changed, failed) {
    this.changed = changed;
    this.failed = failed;
    this.state = null; // the game, as the server last sent it
    this.wants = { hint: false, odds: false };
    this.moves = Promise.resolve();
    this.waiting = 0; // moves that are not answered yet
    this.fetching = false;
    this.forget();
  }

  get busy() {
    return this.waiting > 0 || this.fetching;
  }

  // Forget what belongs to the position before.
  forget() {
    this.version = (this.version ?? 0) + 1;
    this.turn = null; // the turn of the hint, as the server sent it
    this.hint = null; // the same turn as the board draws it
    this.odds = null; // {percent, frontier, background, status, firstClickSafe}
    this.refused = {}; // what could not be fetched for this position
  }

  // Run `task` after all earlier ones; an error of it does not stop the later ones.
  enqueue(task) {
    this.waiting += 1;
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

  // Start a new game; `body` is that of the request.
  start(body) {
    return this.enqueue(async () => this.show(await request("/api/games", body), true));
  }

  // Go on with a game that the server has.
  async resume(id) {
    this.show(await request(`/api/games/${id}`), true);
    this.fetch();
  }

  // Send a move; `isPossible(state)` is asked when its turn has come.
  move(action, cell, isPossible) {
    return this.enqueue(async () => {
      if (this.state && !this.state.over && isPossible(this.state)) await this.post("moves", { action, cell });
    });
  }

  undo() {
    return this.enqueue(async () => {
      if (this.state?.turns) await this.post("undo", {});
    });
  }

  changeAdviser(agent) {
    this.asking?.abort(); // whoever is thinking may think long
    return this.enqueue(() => this.post("adviser", { agent }));
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

  async post(path, body) {
    const state = await request(`/api/games/${this.state.id}/${path}`, body);
    this.show(state);
    return state;
  }

  show(state, isNew = false) {
    const before = isNew ? undefined : this.state?.shown;
    this.state = state;
    this.receivedAt = performance.now();
    this.isNew = isNew;
    this.differences = new Set();
    if (before) for (let i = 0; i < before.length; i += 1) if (before[i] !== state.shown[i]) this.differences.add(i);
    this.forget();
    this.changed();
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
          const answer = await request(`/api/games/${state.id}/${what}`, {}, this.asking.signal);
          if (version === this.version) this.keep(what, answer);
        } catch (error) {
          if (version === this.version && !this.asking.signal.aborted) {
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
