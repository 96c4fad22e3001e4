// Which agents the leaderboard shows: a search, and a box for each agent.

import { agentNames } from "./agent_mark.js";
import { checkbox, field, h } from "./dom.js";

const SEPARATOR = ";";

export class AgentChoice {
  // `onchange()` is called when other agents are to be shown.
  constructor(agents, address, onchange) {
    this.address = address;
    this.onchange = onchange;
    this.hidden = new Set(address.text("hide", "").split(SEPARATOR).filter(Boolean));
    for (const agent of this.hidden) {
      if (agents.includes(agent)) continue;
      this.hidden.delete(agent);
      address.complain(`There is no agent “${agent}” to hide.`);
    }
    this.search = h("input", {
      type: "search",
      name: "search",
      placeholder: "name of an agent",
      value: address.text("search", ""),
      oninput: () => {
        address.replace({ search: this.search.value.trim() });
        this.changed();
      },
    });
    this.summary = h("summary", {});
    this.boxes = h("div", { class: "agent-boxes" });
    this.element = h("div", { class: "agent-choice" }, field("Search", this.search), h("details", { open: this.hidden.size > 0 }, this.summary, this.boxes));
  }

  shows(agent) {
    return !this.hidden.has(agent) && this.matches(agent);
  }

  matches(agent) {
    return agent.toLowerCase().includes(this.search.value.trim().toLowerCase());
  }

  // The agents may have changed.
  setOverview(overview) {
    const labels = overview.agents.map((agent) => agent.label);
    if (labels.join("\n") === this.labels?.join("\n")) return;
    this.labels = labels;
    const name = agentNames(overview);
    const box = (agent) => checkbox(name(agent), !this.hidden.has(agent), (on) => this.hide(agent, !on));
    const all = (hide) => () => {
      this.hidden = new Set(hide ? labels : []);
      for (const input of this.boxes.querySelectorAll("input")) input.checked = !hide;
      this.write();
    };
    this.boxes.replaceChildren(
      ...labels.map(box),
      h("button", { type: "button", class: "small-button", onclick: all(false) }, "All"),
      h("button", { type: "button", class: "small-button", onclick: all(true) }, "None"),
    );
    this.drawSummary();
  }

  hide(agent, hidden) {
    if (hidden) this.hidden.add(agent);
    else this.hidden.delete(agent);
    this.write();
  }

  write() {
    this.address.set({ hide: [...this.hidden].join(SEPARATOR) });
    this.changed();
  }

  changed() {
    this.drawSummary();
    this.onchange();
  }

  drawSummary() {
    const shown = this.labels.filter((agent) => this.shows(agent)).length;
    this.summary.textContent = shown === this.labels.length ? `All ${shown} agents are shown` : `${shown} of ${this.labels.length} agents are shown`;
  }
}
