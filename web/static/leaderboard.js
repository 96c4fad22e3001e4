// Leaderboard: the standings of each condition, the agents head to head, and the scores by condition. While the run is
// being played, the page shows the standings so far and updates itself.

import { pageLink, shareButton } from "./address.js";
import { AgentChoice } from "./agent_choice.js";
import { fetchRun, hasEngine, isSite } from "./api.js";
import { chart, chartKinds } from "./chart.js";
import { field, h, select } from "./dom.js";
import { Progress } from "./live.js";
import { Matrix } from "./matrix.js";
import { ownGames } from "./own_games.js";
import { PersonSection } from "./person.js";
import { definitions, sortKeys, standingsTable } from "./standings.js";
import { conditionTitle, count } from "./text.js";

const SEARCH_PAUSE = 200; // milliseconds without a key after which a search filters the pairs and the charts too
const UPDATE_DELAY = 2000; // milliseconds between two looks at a run that is being played

export async function leaderboard(container, params, address) {
  const overview = await fetchRun();
  if (!overview) {
    const notice = "No run is open. Start the server with one: sweepstakes serve runs/quick";
    container.replaceChildren(h("h1", {}, "Leaderboard"), h("p", { class: "notice" }, notice));
    return undefined;
  }
  const own = hasEngine && !overview.secret ? await ownGames(overview) : null;
  const page = new LeaderboardPage(overview, own, address);
  container.replaceChildren(page.element);
  return () => page.close();
}

class LeaderboardPage {
  constructor(overview, own, address) {
    this.address = address;
    this.own = own; // the games of the person by condition; null if there can be none
    this.progress = new Progress();
    this.title = h("h1", {});
    this.toolbar = h("div", { class: "fields toolbar" });
    this.tables = h("div", { class: "tables" });
    this.charts = h("div", {});
    this.notes = h("div", {});
    this.read(overview);
    this.element = h(
      "div",
      { class: "leaderboard-page" },
      h("header", { class: "section-head" }, this.title, shareButton()),
      address.notice(),
      this.progress.element,
      this.toolbar,
      this.tables,
      this.charts,
      this.notes,
    );
    this.setOverview(overview);
    this.update();
  }

  close() {
    clearTimeout(this.timer);
    clearTimeout(this.searchTimer);
    this.closed = true;
  }

  // Read the state in the address.
  read(overview) {
    const { address } = this;
    const board = overview.leaderboard;
    const labels = board?.tables.map((table) => table.condition) ?? [];
    const scores = board?.scores.map((column) => column.name) ?? [];
    const agents = overview.agents.map((agent) => agent.label);
    const live = !overview.progress.complete; // tables and scores may still come
    const anyOf = (values) => (live ? { includes: () => true, join: () => "", length: 0 } : values);
    this.condition = address.choice("condition", anyOf(labels), null);
    this.score = address.choice("score", anyOf(scores), null);
    this.sort = { by: address.choice("sort", anyOf(sortKeys(overview, board)), "rank", "column"), order: address.choice("order", ["up", "down"], null) };
    this.chartKind = address.choice("chart", ["density", "size", "noise", "condition"], null);
    this.pair = [address.choice("first", agents, null, "agent"), address.choice("second", agents, null, "agent")];
    this.choice = new AgentChoice(agents, address, () => this.search());
  }

  // Show the data of the server, old or new; all that the person has chosen stays.
  setOverview(overview) {
    this.overview = overview;
    this.board = overview.leaderboard;
    this.title.textContent = this.board?.name ?? overview.name;
    this.progress.draw(overview);
    const { complete, counted } = overview.progress;
    if (this.drawn === `${complete} ${counted}`) return;
    this.drawn = `${complete} ${counted}`;
    this.choice.setOverview(overview);
    this.drawToolbar();
    const controls = () => [...this.tables.querySelectorAll('button, a, select, [tabindex="0"]')];
    const focused = controls().indexOf(document.activeElement);
    this.draw();
    if (focused >= 0) controls()[focused]?.focus({ preventScroll: true });
  }

  // Look for new games, as long as the run is being played.
  update() {
    if (isSite || this.overview.progress.complete) return;
    this.timer = setTimeout(async () => {
      try {
        if (!document.hidden) {
          const overview = await fetchRun();
          if (!this.closed) this.setOverview(overview);
        }
      } catch (error) {
        this.progress.fail(error.message);
      }
      if (!this.closed) this.update();
    }, UPDATE_DELAY);
  }

  get table() {
    return this.board?.tables.find((table) => table.condition === this.condition) ?? this.board?.tables[0];
  }

  drawToolbar() {
    if (this.toolbar.contains(document.activeElement) && this.toolbar.childElementCount) return; // the person uses it
    const tables = this.board?.tables ?? [];
    const conditionSelect = select(
      {
        name: "condition",
        onchange: () => {
          this.condition = conditionSelect.value;
          this.address.set({ condition: this.condition === tables[0].condition ? null : this.condition });
          this.draw();
        },
      },
      tables.map((table) => [table.condition, conditionTitle(this.overview, table.condition)]),
      this.table?.condition,
    );
    this.toolbar.replaceChildren(...(tables.length > 1 ? [field("Condition", conditionSelect)] : []), ...(tables.length ? [this.choice.element] : []));
  }

  draw() {
    const { board, table, overview } = this;
    if (!table) {
      this.tables.replaceChildren(h("p", { class: "notice" }, "No board has been played by every agent yet."));
      this.charts.replaceChildren();
      this.notes.replaceChildren();
      return;
    }
    this.matrix = new Matrix(overview, board, table, { pair: this.pair, choose: (first, second) => this.choosePair(first, second) });
    this.standings = standingsTable(overview, board, table, { sort: this.sort, onsort: (sort) => this.changeSort(sort), link: (agent) => this.agentLink(agent) });
    this.tables.replaceChildren(
      this.standings.element,
      definitions(overview, board, table),
      ...this.personSections(),
      ...faultList(overview, board.faults ?? []),
      this.matrix.element,
    );
    this.filter();
    const notes = [board.footnote, board.on_seed].filter(Boolean);
    this.notes.replaceChildren(...notes.map((note) => h("p", { class: "small muted" }, note)));
  }

  // Show the agents that the person has chosen: in the standings at once, and after a pause in what is large.
  search() {
    if (!this.table) return;
    this.standings.filter((agent) => this.choice.shows(agent));
    clearTimeout(this.searchTimer);
    this.searchTimer = setTimeout(() => this.filter(), SEARCH_PAUSE);
  }

  filter() {
    const shown = (agent) => this.choice.shows(agent);
    this.standings.filter(shown);
    this.matrix.filter(shown);
    this.drawCharts(shown);
  }

  // The person under the condition that is shown, or under those with games of the person.
  personSections() {
    const { overview, board, own, table } = this;
    if (!own) return [];
    const chosen = overview.conditions.filter((condition) => condition.label === table.condition);
    const played = overview.conditions.filter((condition) => own[condition.id].games.length);
    const shown = chosen.length ? chosen : played.length ? played : overview.conditions.slice(0, 1);
    return shown.map((condition) => new PersonSection(overview, board, condition, own[condition.id]).element);
  }

  agentLink(agent) {
    return pageLink("agent", { name: agent });
  }

  changeSort(sort) {
    this.sort = sort;
    const usual = sort.by === "rank" && sort.order === "up";
    this.address.set({ sort: usual ? null : sort.by, order: usual ? null : sort.order });
  }

  choosePair(first, second) {
    if (first !== this.pair[0] || second !== this.pair[1]) this.address.set({ first, second });
    this.pair = [first, second];
  }

  drawCharts(shown) {
    const { board, overview } = this;
    if (board.tables.length < 2) {
      this.charts.replaceChildren();
      return;
    }
    const kinds = chartKinds(overview, board);
    const kind = kinds.some(([name]) => name === this.chartKind) ? this.chartKind : kinds[0][0];
    const score = board.scores.find((column) => column.name === this.score) ?? board.scores[0];
    const scoreSelect = select(
      {
        name: "score",
        onchange: () => {
          this.score = scoreSelect.value;
          this.address.set({ score: this.score });
          this.drawCharts(shown);
        },
      },
      board.scores.map((column) => [column.name, column.title]),
      score.name,
    );
    const kindSelect = select(
      {
        name: "chart",
        onchange: () => {
          this.chartKind = kindSelect.value;
          this.address.set({ chart: this.chartKind });
          this.drawCharts(shown);
        },
      },
      kinds,
      kind,
    );
    this.charts.replaceChildren(
      h(
        "section",
        { class: "card", "aria-label": "Scores by condition" },
        h(
          "header",
          { class: "section-head" },
          h("h2", {}, "Scores by condition"),
          h("div", { class: "fields" }, kinds.length > 1 ? field("By", kindSelect) : null, field("Score", scoreSelect)),
        ),
        chart(overview, board, { score, kind, shown }),
      ),
    );
  }
}

// The faults of the agents, each kind with its first message and a link to that game.
function faultList(overview, faults) {
  if (!faults.length) return [];
  const item = (fault) => {
    const [condition, board] = fault.game.split("/").slice(-2).map(Number);
    const label = overview.conditions.find((one) => one.id === condition)?.label;
    const text = `${fault.agent}: ${fault.kind} in ${count(fault.games, "game")}, the first on board ${board}`;
    const link = overview.secret || isSite ? text : h("a", { href: pageLink("watch", { condition: label, board, first: fault.agent }) }, text);
    return h("li", {}, link, h("p", { class: "fault" }, fault.message));
  };
  return [h("section", { class: "card", "aria-label": "Faults" }, h("h2", {}, "Faults"), h("ul", { class: "fault-list" }, faults.map(item)))];
}
