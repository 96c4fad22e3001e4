// The progress of a run that is being played, and its latest games.

import { pageLink } from "./address.js";
import { h } from "./dom.js";
import { count } from "./text.js";

const QUIET_TIME = 20_000; // milliseconds without a new game after which the page says so

export class Progress {
  constructor() {
    this.bar = h("progress", { "aria-label": "Games played" });
    this.text = h("p", { class: "progress-text", role: "status" });
    this.latest = h("ul", { class: "latest" });
    this.toCome = h("p", { class: "to-come small muted" });
    this.element = h("section", { class: "card live", "aria-label": "Progress", hidden: true }, this.text, this.bar, this.toCome, this.latest);
    this.seen = []; // [time, games] of the last changes
  }

  draw(overview) {
    const { finished, total, complete, counted } = overview.progress;
    this.element.hidden = complete;
    if (complete) return;
    this.bar.max = Math.max(1, total);
    this.bar.value = finished;
    if (this.seen.at(-1)?.[1] !== finished) this.seen = [...this.seen.slice(-10), [Date.now(), finished]];
    const share = total ? Math.floor((100 * finished) / total) : 0;
    const standings = counted >= 0 && overview.leaderboard ? ` The table has the standings after ${count(counted, "game")}, on boards that every agent has played.` : "";
    this.text.textContent = `${finished.toLocaleString("en")} of ${count(total, "game")} played (${share}\u00a0%)${this.pace(finished, total)}.${standings}`;
    const begun = new Set(overview.leaderboard?.tables.filter((table) => table.boards).map((table) => table.condition));
    const rest = overview.conditions.filter((condition) => !begun.has(condition.label)).map((condition) => condition.title);
    this.toCome.textContent = rest.length ? `Not in the table yet: ${rest.join("; ")}.` : "";
    this.drawLatest(overview);
  }

  // How long the rest takes at the pace of the last changes, or that nothing happens.
  pace(finished, total) {
    const [[begun, first], [last]] = [this.seen[0], this.seen.at(-1)];
    if (Date.now() - last > QUIET_TIME) return `; no game has ended for ${Math.round((Date.now() - last) / 1000)} s`;
    const rate = (finished - first) / Math.max(1, (last - begun) / 1000);
    if (!rate) return "";
    const seconds = (total - finished) / rate;
    const left = seconds < 90 ? `${Math.ceil(seconds)} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
    return `, about ${left} left`;
  }

  drawLatest(overview) {
    const byId = new Map(overview.conditions.map((condition) => [condition.id, condition]));
    const item = (game) => {
      const text = `${game.agent}, board ${game.number}: ${game.ending}`;
      const place = { condition: byId.get(game.condition).label, board: game.number, first: game.agent };
      return h("li", {}, overview.secret ? text : h("a", { href: pageLink("watch", place) }, text));
    };
    const where = overview.latest.length ? byId.get(overview.latest[0].condition).title : "";
    this.latest.replaceChildren(
      ...(overview.latest.length ? [h("li", { class: "muted" }, `The latest games, ${where}:`)] : []),
      ...overview.latest.map(item),
    );
    if (overview.secret) this.latest.append(h("li", { class: "muted" }, "The seed is secret: boards are shown after the last game."));
  }

  fail(message) {
    this.text.textContent = `${message} The page tries again.`;
  }
}
