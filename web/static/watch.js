// Watch: a stored game, or two agents side by side on the same board.

import { shareButton } from "./address.js";
import { fetchReplay, fetchRun, fetchStoredReplay, hasEngine, isSite } from "./api.js";
import { checkbox, failure, field, h, select } from "./dom.js";
import { heatScale, markLegend } from "./legend.js";
import { boardLink } from "./person.js";
import { Replay } from "./replay.js";
import { ReplayPanel } from "./replay_panel.js";
import { Timeline } from "./timeline.js";
import { count } from "./text.js";

const NO_AGENT = "none";
const NARROW = 480; // pixels: as in the style sheet
const ADDRESS_DELAY = 300; // milliseconds until a turn that stays is in the address

export async function watch(container, params, address) {
  const overview = await fetchRun();
  const watchable = overview?.conditions.filter((c) => (isSite ? overview.sample[c.id]?.length : c.boards)) ?? [];
  if (!watchable.length || overview.secret) {
    container.replaceChildren(h("h1", {}, "Watch"), h("p", { class: "notice" }, whyNothing(overview)));
    return undefined;
  }
  const page = new WatchPage(overview, watchable, address);
  container.replaceChildren(page.element);
  page.load();
  return () => page.close();
}

function whyNothing(overview) {
  if (!overview) return "No run is open. Start the server with one: sweepstakes serve runs/quick";
  if (overview.secret) return "The seed of this run is secret until its last game has been played: no board is shown before that.";
  return overview.progress.complete ? "This run has no games that can be watched here." : "No game of this run has been played yet.";
}

// The share of the decisive boards that a static site shows.
function siteCoverage(overview) {
  const [here, all] = Object.values(overview.deciding).reduce((sum, [n, of]) => [sum[0] + n, sum[1] + of], [0, 0]);
  const boards = `${here.toLocaleString("en")} of ${count(all, "deciding board")}`;
  return `${boards} can be watched here: boards on which agents differ, those of near ranks first.`;
}

// The agents, the best first.
function agentsByRank(overview) {
  const ranks = new Map(overview.leaderboard?.tables[0]?.standings.map((line, k) => [line.agent, k]) ?? []);
  const agents = overview.agents.filter((agent) => !ranks.size || ranks.has(agent.label));
  return agents.sort((a, b) => (ranks.get(a.label) ?? 0) - (ranks.get(b.label) ?? 0));
}

class WatchPage {
  constructor(overview, conditions, address) {
    this.overview = overview;
    this.conditions = conditions;
    this.address = address;
    this.agents = agentsByRank(overview);
    this.panels = []; // one for each agent; undefined while its game is not known
    this.loads = 0;
    this.showOdds = address.choice("odds", ["no"], "yes") === "yes";
    this.linked = true;
    this.follows = true;
    this.timeline = new Timeline((t, chosen) => this.show(t, chosen));
    this.addInputs();
    this.wantedTurn = address.whole("turn", 0, 1_000_000, 0);
    this.footer = h("p", { class: "small muted" }, isSite ? siteCoverage(overview) : "");
    this.area = h("div", { class: "replay-panels" });
    this.chosen = h("summary", {});
    this.scale = heatScale();
    this.lies = h("p", { class: "small muted", hidden: true }, "A marked clue lied or was withheld: its true number is in the corner.");
    this.element = h(
      "div",
      { class: "watch-page" },
      h("h1", { class: "sr-only" }, "Watch"),
      address.notice(),
      h(
        "details",
        { class: "card choice", open: innerWidth > NARROW }, // on a phone the board comes first
        this.chosen,
        h(
          "div",
          { class: "fields" },
          field("Condition", this.condition),
          field("Board", this.boardField),
          field("Agent", this.first),
          field("Second agent", this.second),
          this.viewOptions(),
          shareButton(),
        ),
      ),
      this.timeline.element,
      this.area,
      h("div", { class: "watch-foot" }, markLegend(), this.lies, this.scale, h("p", { class: "small muted" }, "Keys: ← → one turn, Space play, Home start, End end."), this.footer),
    );
    this.onKey = (event) => this.timeline.key(event);
    document.addEventListener("keydown", this.onKey);
  }

  close() {
    this.loads += 1; // what is still loading is not shown
    clearTimeout(this.addressTimer);
    this.timeline.stop();
    document.removeEventListener("keydown", this.onKey);
  }

  addInputs() {
    const { address, conditions } = this;
    const labels = this.agents.map((agent) => agent.label);
    const condition = address.choice("condition", conditions.map((c) => c.label), conditions[0].label);
    this.condition = select(
      { name: "condition", onchange: () => this.changeCondition() },
      conditions.map((c) => [c.label, c.short]),
      condition,
    );
    const first = address.choice("first", labels, labels[0], "agent");
    const alone = address.params.has("first") ? NO_AGENT : (labels[1] ?? NO_AGENT);
    const second = address.choice("second", [...labels, NO_AGENT], alone, "agent");
    const changed = () => this.changed();
    const short = (label) => this.agents.find((agent) => agent.label === label).short;
    this.first = select({ name: "first", onchange: changed }, labels.map((label) => [label, short(label)]), first);
    this.second = select({ name: "second", onchange: changed }, [[NO_AGENT, "none"], ...labels.map((label) => [label, short(label)])], second);
    this.boardField = h("span", { class: "joined" });
    this.drawBoardField(true);
  }

  // What is drawn, and how large.
  viewOptions() {
    const odds = checkbox("Mine probabilities", this.showOdds, (on) => {
      this.showOdds = on;
      this.address.replace({ odds: on ? null : "no" });
      this.show(this.timeline.at, false);
    });
    const follow = checkbox("Follow the turns", true, (on) => {
      this.follows = on;
      if (on) this.panels.forEach((panel) => panel?.follow());
    });
    this.linkBox = checkbox("Scroll both", true, (on) => {
      this.linked = on;
    });
    this.scrollOptions = h("span", { class: "scroll-options", hidden: true }, follow, this.linkBox);
    const zoom = (label, sign, factor) =>
      h("button", { type: "button", class: "tiny", "aria-label": label, title: label, onclick: () => this.enlarge(factor) }, sign);
    const fit = h("button", { type: "button", class: "tiny", title: "The size that fits", onclick: () => this.enlarge(null) }, "Fit");
    return h("div", { class: "view-options" }, odds, this.scrollOptions, h("span", { class: "zoom" }, zoom("Smaller cells", "−", 0.8), fit, zoom("Larger cells", "+", 1.25)));
  }

  enlarge(factor) {
    for (const panel of this.panels) {
      if (!panel) continue;
      panel.board.zoom = factor === null ? 1 : panel.board.zoom;
      panel.board.enlarge(factor ?? 1);
      panel.draw(this.timeline.at, this.showOdds);
      if (this.follows) panel.follow();
    }
  }

  get selectedCondition() {
    return this.conditions.find((c) => c.label === this.condition.value) ?? this.conditions[0];
  }

  get number() {
    return Number(this.boardField.querySelector("input, select").value);
  }

  // A static site offers the boards that it contains; a server offers every board.
  drawBoardField(fromAddress) {
    const { id, boards } = this.selectedCondition;
    const changed = () => this.changed();
    if (isSite) {
      const sample = this.overview.sample[id];
      const chosen = fromAddress ? this.address.choice("board", sample.map(String), String(sample[0])) : sample[0];
      this.boardField.replaceChildren(select({ name: "board", onchange: changed }, sample.map((n) => [n, n]), chosen));
      return;
    }
    const value = fromAddress ? this.address.whole("board", 0, boards - 1, 0) : 0;
    const input = h("input", { type: "number", name: "board", min: 0, max: boards - 1, value, "aria-label": "Board", onchange: () => move(0) });
    const move = (by) => {
      input.value = Math.max(0, Math.min(boards - 1, Math.floor(this.number) + by));
      changed();
    };
    const moveButton = (label, by) =>
      h("button", { type: "button", class: "tiny", "aria-label": label, title: label, onclick: () => move(by) }, by < 0 ? "‹" : "›");
    this.boardField.replaceChildren(moveButton("The previous board", -1), input, moveButton("The next board", 1));
  }

  changeCondition() {
    this.drawBoardField(false);
    this.changed();
  }

  // The person chose another condition, board or agent.
  changed() {
    clearTimeout(this.addressTimer);
    const { condition, first, second } = this;
    this.address.set({ condition: condition.value, board: this.number, first: first.value, second: second.value, turn: null });
    this.wantedTurn = 0;
    this.load();
  }

  // Load the games, and show each as soon as it is known.
  load() {
    this.loads += 1;
    this.condition.title = this.selectedCondition.title; // the select may be too narrow for it
    this.chosen.textContent = `${this.selectedCondition.short}, board ${this.number}`;
    const labels = [this.first.value, this.second.value].filter((label, k, all) => label !== NO_AGENT && all.indexOf(label) === k);
    this.panels = labels.map(() => undefined);
    this.timeline.reset(0, 0);
    const slots = labels.map((label) => h("div", { class: "slot" }, h("section", { class: "card", "aria-label": label }, h("h2", {}, label))));
    this.area.replaceChildren(...slots);
    this.area.classList.toggle("two", slots.length > 1);
    this.drawLink();
    labels.forEach((label, k) => this.loadPanel(label, k, slots[k], this.loads));
  }

  async loadPanel(label, k, slot, load) {
    const key = [this.selectedCondition.id, this.agents.find((agent) => agent.label === label).id, this.number];
    const waiting = new Waiting(slot, label);
    try {
      const stored = await fetchStoredReplay(...key);
      if (load !== this.loads) return;
      if (stored.replay) this.setReplay(k, slot, new Replay(key, stored.replay, this.selectedCondition));
      waiting.start(Boolean(stored.replay), stored.seconds);
      const replay = await fetchReplay(...key);
      if (load === this.loads) this.setReplay(k, slot, new Replay(key, replay, this.selectedCondition));
    } catch (error) {
      if (load === this.loads) slot.append(failure(error.message, () => this.load()));
    } finally {
      waiting.end();
    }
  }

  setReplay(k, slot, replay) {
    if (this.panels[k]) {
      this.panels[k].setReplay(replay);
    } else {
      const panel = new ReplayPanel(replay, this.selectedCondition.rules, {
        go: (t) => this.timeline.go(t),
        scrolled: (viewport) => this.scrollOthers(viewport),
        noise: this.selectedCondition.noise,
      });
      panel.viewport.onchange = () => this.updateScrollOptions();
      this.panels[k] = panel;
      slot.replaceChildren(panel.element);
      panel.board.fit();
    }
    this.lies.hidden = !this.panels.some((panel) => Object.keys(panel?.replay.data.lies ?? {}).length);
    this.timeline.setLength(Math.max(...this.panels.map((panel) => panel?.replay.length ?? 0)));
    const all = this.panels.every(Boolean);
    if (all && this.wantedTurn > this.timeline.length) {
      this.address.complain(`There is no turn ${this.wantedTurn}: the game has ${count(this.timeline.length, "turn")}.`);
      this.address.drawNotice();
      this.wantedTurn = this.timeline.length;
    }
    this.timeline.go(this.timeline.playing ? this.timeline.at : Math.min(this.wantedTurn, this.timeline.length), true, false);
  }

  updateScrollOptions() {
    const overflow = this.panels.filter((panel) => panel?.viewport.overflows).length;
    this.scrollOptions.hidden = !overflow;
    this.linkBox.hidden = overflow < 2;
  }

  scrollOthers(viewport) {
    if (!this.linked) return;
    for (const panel of this.panels) {
      if (panel && panel.viewport !== viewport) panel.viewport.moveTo(viewport.frame.scrollLeft, viewport.frame.scrollTop);
    }
  }

  // Show turn `t`; `chosen` says that a person or the automatic play went there, so that it belongs into the address.
  async show(t, chosen) {
    const panels = this.panels.filter(Boolean);
    this.scale.hidden = !this.showOdds;
    if (!panels.length) return;
    if (chosen) {
      this.wantedTurn = t;
      clearTimeout(this.addressTimer);
      this.addressTimer = setTimeout(() => this.address.replace({ turn: t || null }), ADDRESS_DELAY);
    }
    const draw = () => panels.forEach((panel) => panel.draw(t, this.showOdds));
    draw();
    if (this.follows) panels.forEach((panel) => panel.follow());
    if (!this.showOdds) return;
    await Promise.allSettled(panels.map((panel) => panel.replay.loadOdds(t)));
    if (this.timeline.at === t) draw();
  }

  // A link to the Play page with the same board.
  drawLink() {
    this.footer.replaceChildren(isSite ? siteCoverage(this.overview) : "");
    if (!hasEngine) return;
    const link = boardLink(this.selectedCondition, this.number);
    if (link) this.footer.append(isSite ? " " : "", h("a", { href: link }, "Play this board yourself"));
  }
}

// A line in a panel that says what the page waits for, and for how long it has waited.
class Waiting {
  constructor(slot, agent) {
    this.slot = slot;
    this.agent = agent;
    this.text = h("span", { role: "status" }, "Loading …");
    this.seconds = h("span", {}); // outside of the status: a screen reader would read every second
    this.element = h("p", { class: "waiting small muted" }, h("progress", { "aria-label": "Loading" }), " ", this.text, " ", this.seconds);
    slot.firstElementChild.append(this.element);
  }

  // `known` says whether the game is on the page already, `took` how long it took the agent when it was stored.
  start(known, took) {
    const usual = typeof took === "number" && took >= 0.5 ? ` (its turns took ${took.toFixed(1)} s in the tournament)` : "";
    this.text.textContent = known ? `Finding the reasons: ${this.agent} plays the game a second time${usual}.` : `${this.agent} plays this game again${usual}.`;
    if (known) this.slot.querySelector(".replay-panel-text").append(this.element);
    const begun = Date.now();
    this.timer = setInterval(() => {
      this.seconds.textContent = `${Math.round((Date.now() - begun) / 1000)} s`;
    }, 1000);
  }

  end() {
    clearInterval(this.timer);
    this.element.remove();
  }
}
