// Watch: a stored game, or two agents side by side on the same board.

import { fetchReplay, fetchRun, isSite } from "./api.js";
import { checkbox, field, h, select } from "./dom.js";
import { markLegend } from "./legend.js";
import { Replay } from "./replay.js";
import { ReplayPanel } from "./replay_panel.js";
import { Timeline } from "./timeline.js";
import { count } from "./text.js";

export async function watch(container, params) {
  const overview = await fetchRun();
  const watchable = overview?.conditions.filter((c) => (isSite ? overview.sample[c.id]?.length : c.boards)) ?? [];
  if (!watchable.length) {
    const notice = overview
      ? "This run has no games that can be watched here."
      : "No run is open. Start the server with one: sweepstakes serve runs/quick";
    container.replaceChildren(h("h1", {}, "Watch"), h("p", { class: "notice" }, notice));
    return undefined;
  }
  const page = new WatchPage(overview, watchable, params);
  container.replaceChildren(page.element);
  await page.load(Number(params.get("turn") ?? 0));
  return () => page.timeline.stop();
}

// The share of the decisive boards that a static site shows.
function siteCoverage(overview) {
  const [here, all] = Object.values(overview.deciding).reduce((sum, [n, of]) => [sum[0] + n, sum[1] + of], [0, 0]);
  const boards = `${here.toLocaleString("en")} of ${count(all, "deciding board")}`;
  return `${boards} can be watched here: boards on which agents differ, those of near ranks first.`;
}

class WatchPage {
  constructor(overview, conditions, params) {
    this.overview = overview;
    this.conditions = conditions;
    this.panels = [];
    this.showOdds = true;
    const labels = new Map(overview.leaderboard?.tables[0]?.standings.map((line, k) => [line.agent, k]) ?? []);
    const agents = overview.agents
      .filter((agent) => !labels.size || labels.has(agent.label))
      .sort((a, b) => (labels.get(a.label) ?? 0) - (labels.get(b.label) ?? 0))
      .map((agent) => [agent.id, agent.label]);
    const reload = () => this.load(0);
    const requested = Number(params.get("condition") ?? conditions[0].id);
    this.condition = select({ name: "condition", onchange: () => this.changeCondition() }, conditions.map((c) => [c.id, c.label]), requested);
    this.boardField = h("span", { class: "joined" });
    this.first = select({ name: "first", onchange: reload }, agents, params.get("first") ?? agents[0][0]);
    const second = params.get("second") ?? (params.has("first") ? "" : (agents[1]?.[0] ?? ""));
    this.second = select({ name: "second", onchange: reload }, [["", "none"], ...agents], second);
    this.timeline = new Timeline((t) => this.show(t));
    this.oddsBox = checkbox("Show mine probabilities", true, (on) => {
      this.showOdds = on;
      this.show(this.timeline.at);
    });
    this.status = h("p", { class: "status", role: "status" });
    this.footer = h("p", { class: "small muted" }, isSite ? siteCoverage(overview) : "");
    this.area = h("div", { class: "replay-panels" });
    this.element = h(
      "div",
      { class: "watch-page" },
      h("h1", {}, "Watch"),
      h(
        "div",
        { class: "card fields" },
        field("Condition", this.condition),
        field("Board", this.boardField),
        field("Agent", this.first),
        field("Second agent", this.second),
        this.oddsBox,
      ),
      this.status,
      this.timeline.element,
      markLegend(),
      this.area,
      this.footer,
    );
    this.drawBoardField(Number(params.get("board") ?? -1));
  }

  get selectedCondition() {
    return this.conditions.find((c) => String(c.id) === this.condition.value) ?? this.conditions[0];
  }

  get number() {
    return Number(this.boardField.querySelector("input, select").value);
  }

  // A static site offers the boards that it contains; a server offers every board.
  drawBoardField(requested) {
    const { id, boards } = this.selectedCondition;
    const reload = () => this.load(0);
    if (isSite) {
      const sample = this.overview.sample[id];
      const chosen = sample.includes(requested) ? requested : sample[0];
      this.boardField.replaceChildren(select({ name: "board", onchange: reload }, sample.map((n) => [n, n]), chosen));
      return;
    }
    const value = requested >= 0 && requested < boards ? requested : 0;
    const input = h("input", { type: "number", name: "board", min: 0, max: boards - 1, value, onchange: reload });
    const moveButton = (label, by) =>
      h(
        "button",
        {
          type: "button",
          class: "tiny",
          "aria-label": label,
          onclick: () => {
            input.value = Math.max(0, Math.min(boards - 1, this.number + by));
            reload();
          },
        },
        by < 0 ? "‹" : "›",
      );
    this.boardField.replaceChildren(moveButton("The previous board", -1), input, moveButton("The next board", 1));
  }

  changeCondition() {
    this.drawBoardField(-1);
    return this.load(0);
  }

  async load(turn) {
    const agents = [this.first.value, this.second.value].filter((id, k) => id !== "" && (k === 0 || id !== this.first.value));
    const { selectedCondition: condition, number } = this;
    this.status.textContent = "Loading …";
    const results = await Promise.allSettled(agents.map((agent) => fetchReplay(condition.id, Number(agent), number)));
    const errors = results.filter((result) => result.status === "rejected").map((result) => result.reason.message);
    this.status.textContent = errors.join(" ");
    this.status.hidden = !errors.length;
    this.panels = results.flatMap((result, k) =>
      result.status === "fulfilled"
        ? [new ReplayPanel(new Replay([condition.id, Number(agents[k]), number], result.value), condition.rules, (t) => this.timeline.go(t))]
        : [],
    );
    this.area.replaceChildren(...this.panels.map((panel) => panel.element));
    this.area.classList.toggle("two", this.panels.length > 1);
    this.timeline.element.hidden = !this.panels.length;
    this.drawLink();
    this.timeline.reset(Math.max(0, ...this.panels.map((panel) => panel.replay.length)), turn);
  }

  async show(t) {
    const draw = () => this.panels.forEach((panel) => panel.draw(t, this.showOdds));
    draw();
    if (!this.showOdds) return;
    await Promise.allSettled(this.panels.map((panel) => panel.replay.loadOdds(t)));
    if (this.timeline.at === t) draw();
  }

  // A link to the Play page with the same board.
  drawLink() {
    const condition = this.selectedCondition;
    if (isSite || condition.seed === null || condition.source !== "uniform" || condition.rows > 100 || condition.cols > 100) return;
    const { rules } = condition;
    const params = new URLSearchParams({
      rows: condition.rows,
      cols: condition.cols,
      mines: condition.mines,
      seed: condition.seed,
      number: this.number,
      on_mine: rules.on_mine,
      first_click: rules.first_click,
      noise: condition.noise,
      flood: rules.flood ? "yes" : "no",
      ...(rules.start ? { start: rules.start[0] * condition.cols + rules.start[1] } : {}),
    });
    this.footer.replaceChildren(h("a", { href: `#/play?${params}` }, "Play this board yourself"));
  }
}
