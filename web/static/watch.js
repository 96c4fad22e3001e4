// Watch: a stored game, or two agents side by side on the same board.

import { check, choice, field, h } from "./dom.js";
import { Replay } from "./replay.js";
import { Seat } from "./seat.js";
import { isSite, replay, run } from "./source.js";
import { Timeline } from "./timeline.js";
import { count } from "./words.js";

export async function watch(room, choices) {
  const overview = await run();
  const playable = overview?.conditions.filter((c) => (isSite ? overview.sample[c.id]?.length : c.boards)) ?? [];
  if (!playable.length) {
    const why = overview
      ? "This run has no games that can be watched here."
      : "No run is open. Start the server with one: sweepstakes serve runs/quick";
    room.replaceChildren(h("h1", {}, "Watch"), h("p", { class: "notice" }, why));
    return undefined;
  }
  const page = new Watch(overview, playable, choices);
  room.replaceChildren(page.element);
  await page.load(Number(choices.get("turn") ?? 0));
  return () => page.timeline.stop();
}

// How much of the run a static site shows.
function holds(overview) {
  const [here, all] = Object.values(overview.deciding).reduce((sum, [n, of]) => [sum[0] + n, sum[1] + of], [0, 0]);
  const boards = `${here.toLocaleString("en")} of ${count(all, "deciding board")}`;
  return `${boards} can be watched here: boards on which agents differ, those of near ranks first.`;
}

class Watch {
  constructor(overview, conditions, choices) {
    this.overview = overview;
    this.conditions = conditions;
    this.seats = [];
    this.showOdds = true;
    const labels = new Map(overview.leaderboard?.tables[0]?.standings.map((line, k) => [line.agent, k]) ?? []);
    const agents = overview.agents
      .filter((agent) => !labels.size || labels.has(agent.label))
      .sort((a, b) => (labels.get(a.label) ?? 0) - (labels.get(b.label) ?? 0))
      .map((agent) => [agent.id, agent.label]);
    const reload = () => this.load(0);
    const asked = Number(choices.get("condition") ?? conditions[0].id);
    this.condition = choice({ name: "condition", onchange: () => this.changeCondition() }, conditions.map((c) => [c.id, c.label]), asked);
    this.board = h("span", { class: "joined" });
    this.first = choice({ name: "first", onchange: reload }, agents, choices.get("first") ?? agents[0][0]);
    const other = choices.get("second") ?? (choices.has("first") ? "" : (agents[1]?.[0] ?? ""));
    this.second = choice({ name: "second", onchange: reload }, [["", "nobody"], ...agents], other);
    this.timeline = new Timeline((t) => this.show(t));
    this.oddsBox = check("Show mine probabilities", true, (on) => {
      this.showOdds = on;
      this.show(this.timeline.at);
    });
    this.note = h("p", { class: "say", role: "status" });
    this.play = h("p", { class: "small muted" }, isSite ? holds(overview) : "");
    this.area = h("div", { class: "seats" });
    this.element = h(
      "div",
      { class: "watch-page" },
      h("h1", {}, "Watch"),
      h(
        "div",
        { class: "card fields" },
        field("Condition", this.condition),
        field("Board", this.board),
        field("Agent", this.first),
        field("Beside", this.second),
        this.oddsBox,
      ),
      this.note,
      this.timeline.element,
      this.area,
      this.play,
    );
    this.drawNumbers(Number(choices.get("board") ?? -1));
  }

  get where() {
    return this.conditions.find((c) => String(c.id) === this.condition.value) ?? this.conditions[0];
  }

  get number() {
    return Number(this.board.querySelector("input, select").value);
  }

  // A static site offers the boards it has; a server any board.
  drawNumbers(asked) {
    const { id, boards } = this.where;
    const reload = () => this.load(0);
    if (isSite) {
      const sample = this.overview.sample[id];
      const chosen = sample.includes(asked) ? asked : sample[0];
      this.board.replaceChildren(choice({ name: "board", onchange: reload }, sample.map((n) => [n, n]), chosen));
      return;
    }
    const value = asked >= 0 && asked < boards ? asked : 0;
    const input = h("input", { type: "number", name: "board", min: 0, max: boards - 1, value, onchange: reload });
    const move = (words, by) =>
      h(
        "button",
        {
          type: "button",
          class: "tiny",
          "aria-label": words,
          onclick: () => {
            input.value = Math.max(0, Math.min(boards - 1, this.number + by));
            reload();
          },
        },
        by < 0 ? "‹" : "›",
      );
    this.board.replaceChildren(move("The board before", -1), input, move("The next board", 1));
  }

  changeCondition() {
    this.drawNumbers(-1);
    return this.load(0);
  }

  async load(turn) {
    const agents = [this.first.value, this.second.value].filter((id, k) => id !== "" && (k === 0 || id !== this.first.value));
    const { where, number } = this;
    this.note.textContent = "Loading …";
    const found = await Promise.allSettled(agents.map((agent) => replay(where.id, Number(agent), number)));
    const trouble = found.filter((one) => one.status === "rejected").map((one) => one.reason.message);
    this.note.textContent = trouble.join(" ");
    this.note.hidden = !trouble.length;
    this.seats = found.flatMap((one, k) =>
      one.status === "fulfilled"
        ? [new Seat(new Replay([where.id, Number(agents[k]), number], one.value), where.rules, (t) => this.timeline.go(t))]
        : [],
    );
    this.area.replaceChildren(...this.seats.map((seat) => seat.element));
    this.area.classList.toggle("two", this.seats.length > 1);
    this.timeline.element.hidden = !this.seats.length;
    this.drawLink();
    this.timeline.reset(Math.max(0, ...this.seats.map((seat) => seat.replay.length)), turn);
  }

  async show(t) {
    const draw = () => this.seats.forEach((seat) => seat.draw(t, this.showOdds));
    draw();
    if (!this.showOdds) return;
    await Promise.allSettled(this.seats.map((seat) => seat.replay.weigh(t)));
    if (this.timeline.at === t) draw();
  }

  // The same board, for whoever thinks they can do better.
  drawLink() {
    const { where } = this;
    if (isSite || where.source !== "uniform" || where.rows > 100 || where.cols > 100) return;
    const { rules } = where;
    const wish = new URLSearchParams({
      rows: where.rows,
      cols: where.cols,
      mines: where.mines,
      seed: where.seed,
      number: this.number,
      on_mine: rules.on_mine,
      first_click: rules.first_click,
      noise: where.noise,
      flood: rules.flood ? "yes" : "no",
      ...(rules.start ? { start: rules.start[0] * where.cols + rules.start[1] } : {}),
    });
    this.play.replaceChildren(h("a", { href: `#/play?${wish}` }, "Play this board yourself"));
  }
}
