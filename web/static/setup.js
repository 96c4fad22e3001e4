// The form for a new game: one line for most people, the rest behind "More options".

import { field, h, select } from "./dom.js";

const CUSTOM = "custom";

export class SetupForm {
  // `options` are those of the server, `params` those of the page's address; `start(newGame)` is called with the body
  // of the request for a new game.
  constructor(options, params, start) {
    this.options = options;
    this.params = params;
    this.addSizeInputs();
    this.addOtherInputs();
    this.noiseRates = h("span", { class: "fields" });
    this.agentSummary = h("p", { class: "small muted agent-summary" });
    this.element = this.makeForm(start);
    this.preset.addEventListener("change", () => {
      this.update();
      if (this.preset.value !== CUSTOM) start(this.newGame());
    });
    this.agent.addEventListener("change", () => {
      this.update();
      start(this.newGame());
    });
    this.noise.addEventListener("change", () => this.drawNoiseRates());
    this.update();
    this.drawNoiseRates();
  }

  // A parameter of the address.
  param(name, fallback) {
    return this.params.get(name) ?? fallback;
  }

  addSizeInputs() {
    const { presets, largest } = this.options;
    const sizes = Object.entries(presets).map(([name, size]) => [
      name,
      `${name[0].toUpperCase()}${name.slice(1)} (${size.rows} × ${size.cols}, ${size.mines} mines)`,
    ]);
    const chosen = this.params.has("rows") ? CUSTOM : this.param("preset", "beginner");
    this.preset = select({ name: "preset" }, [...sizes, [CUSTOM, "Custom size"]], chosen);
    this.rows = numberInput("rows", this.param("rows", "12"), { min: 1, max: largest, required: true });
    this.cols = numberInput("cols", this.param("cols", "12"), { min: 1, max: largest, required: true });
    this.unit = select({ name: "by" }, [["mines", "mines"], ["density", "% of cells"]], "mines");
    this.amount = numberInput("amount", this.param("mines", "20"), { min: 0, required: true });
    this.customSize = h(
      "div",
      { class: "fields custom-size" },
      field("Rows", this.rows),
      field("Columns", this.cols),
      field("With", h("span", { class: "joined" }, this.amount, this.unit)),
    );
  }

  addOtherInputs() {
    const { agents, agent, noises } = this.options;
    this.agent = select({ name: "agent" }, agents.map((a) => [a.name, a.name]), this.param("agent", agent));
    this.seed = numberInput("seed", this.param("seed", ""), { min: 0, placeholder: "random" });
    this.number = numberInput("number", this.param("number", "0"), { min: 0 });
    this.onMine = select(
      { name: "on_mine" },
      [["continue", "goes off, play goes on"], ["end", "ends the game"]],
      this.param("on_mine", "continue"),
    );
    this.firstClick = select(
      { name: "first_click" },
      [["opening", "always a blank"], ["safe", "never a mine"], ["any", "like any other"]],
      this.param("first_click", "opening"),
    );
    this.noise = select(
      { name: "noise" },
      noises.map((n) => [n.name, n.name === "exact-clues" ? "exact" : n.name]),
      this.param("noise", "exact-clues").split("(")[0],
    );
  }

  makeForm(start) {
    const form = h(
      "form",
      {
        class: "setup card",
        "aria-label": "New game",
        novalidate: true,
        onsubmit: (event) => {
          event.preventDefault();
          if (form.reportValidity()) start(this.newGame());
        },
      },
      h(
        "div",
        { class: "fields" },
        field("Board", this.preset),
        field("Hints from", this.agent),
        h("button", { class: "quiet", type: "submit" }, "New game"),
      ),
      this.customSize,
      h(
        "details",
        { open: this.params.has("seed") },
        h("summary", {}, "More options"),
        this.agentSummary,
        h(
          "div",
          { class: "fields" },
          field("A mine", this.onMine),
          field("The first click is", this.firstClick),
          field("Clues", this.noise),
          this.noiseRates,
          field("Seed", this.seed),
          field("Board number", this.number),
        ),
      ),
    );
    return form;
  }

  update() {
    this.customSize.hidden = this.preset.value !== CUSTOM;
    this.agentSummary.textContent = this.options.agents.find((a) => a.name === this.agent.value)?.summary ?? "";
  }

  // One input for each parameter of the noise, with the value of the address or else the default.
  drawNoiseRates() {
    const noise = this.options.noises.find((n) => n.name === this.noise.value);
    const inAddress = this.param("noise", "");
    this.noiseRates.replaceChildren(
      ...Object.entries(noise?.parameters ?? {}).map(([name, value]) => {
        const match = inAddress.startsWith(`${this.noise.value}(`) ? inAddress.match(new RegExp(`\\b${name}=([0-9.]+)`)) : null;
        return field(name, numberInput(name, match?.[1] ?? value, { step: "any", min: 0, "data-noise": name }));
      }),
    );
  }

  // The body of the request for a new game.
  newGame() {
    const rates = [...this.noiseRates.querySelectorAll("input")].map((input) => `${input.dataset.noise}=${Number(input.value)}`);
    const amount = Number(this.amount.value);
    const size =
      this.preset.value !== CUSTOM
        ? { preset: this.preset.value }
        : {
            rows: Number(this.rows.value),
            cols: Number(this.cols.value),
            ...(this.unit.value === "mines" ? { mines: amount } : { density: amount / 100 }),
          };
    return {
      ...size,
      ...(this.seed.value === "" ? {} : { seed: seedOf(this.seed.value) }),
      number: Number(this.number.value || 0),
      on_mine: this.onMine.value,
      first_click: this.firstClick.value,
      ...(this.params.has("start") ? { start: Number(this.params.get("start")) } : {}),
      ...(this.param("flood", "yes") === "no" ? { flood: false } : {}),
      noise: rates.length ? `${this.noise.value}(${rates.join(",")})` : this.noise.value,
      agent: this.agent.value,
    };
  }
}

// A number, or the text of one that a number here would round.
function seedOf(text) {
  return Number.isSafeInteger(Number(text)) || !/^[0-9]+$/.test(text) ? Number(text) : text;
}

function numberInput(name, value, props) {
  return h("input", { type: "number", name, value, inputmode: "numeric", ...props });
}
