// The form for a new game: one line for most people, the rest behind "More options".

import { field, h, select } from "./dom.js";
import { NoiseFields } from "./noise_fields.js";
import { decodeLayout, encodeLayout } from "./position_code.js";
import { addressRules, chosenRules, flatRules, readRules, ruleInputs } from "./rules.js";
import { agentOptions } from "./text.js";

const CUSTOM = "custom";
const SOURCES = { uniform: "any board", "no-guess": "no guess needed", clustered: "mines in groups" };

export class SetupForm {
  // `options` are those of the server. `start(newGame)` is called with the body of the request for a new game,
  // `adviserChanged(agent)` when another agent shall give the hints.
  constructor(options, address, start, adviserChanged) {
    this.options = options;
    this.start = start;
    this.readAddress(address);
    this.addSizeInputs();
    this.addOtherInputs();
    this.agentSummary = h("p", { class: "small muted agent-summary" });
    this.element = this.makeForm();
    this.preset.addEventListener("change", () => {
      this.update();
      if (this.preset.value !== CUSTOM) start(this.newGame());
    });
    this.ruleInputs.on_mine.addEventListener("change", () => this.element.reportValidity() && start(this.newGame()));
    this.agent.addEventListener("change", () => {
      this.update();
      adviserChanged(this.agent.value);
    });
    this.update();
  }

  readAddress(address) {
    const { presets, largest, agents, agent, noises, sources, rules, defaults } = this.options;
    const names = (list) => list.map((each) => each.name);
    const isCustom = address.params.has("rows") || address.params.has("cols");
    this.asked = {
      preset: address.choice("preset", Object.keys(presets), isCustom ? CUSTOM : "beginner"),
      rows: address.whole("rows", 1, largest, 12),
      cols: address.whole("cols", 1, largest, 12),
      mines: address.whole("mines", 0, largest * largest, 20),
      agent: address.choice("agent", names(agents.filter((each) => !each.missing)), agent),
      rules: readRules(address, Object.keys(rules), this.options, largest * largest),
      source: address.choice("source", names(sources), defaults.source),
      number: address.whole("number", 0, 2 ** 31 - 1, defaults.number),
    };
    const noise = address.text("noise", defaults.noise);
    const isKnown = names(noises).includes(noise.split("(")[0]);
    if (!isKnown) address.complain(`There is no noise “${noise}” here: expected ${names(noises).join("; ")}.`);
    this.asked.noise = isKnown ? noise : defaults.noise;
    const code = address.text("layout", null);
    this.given = code === null ? null : decodeLayout(code, this.asked.rows * this.asked.cols); // the mines of the board
    if (code !== null && this.given === null) address.complain("The layout of the address is not that of its rows and columns.");
    const seed = address.text("seed", "");
    if (!/^[0-9]*$/.test(seed)) address.complain(`There is no seed “${seed}”: expected a whole number.`);
    this.asked.seed = /^[0-9]*$/.test(seed) ? seed : "";
  }

  addSizeInputs() {
    const { presets, largest } = this.options;
    const sizes = Object.entries(presets).map(([name, size]) => [
      name,
      `${name[0].toUpperCase()}${name.slice(1)} (${size.rows} × ${size.cols}, ${size.mines} mines)`,
    ]);
    this.preset = select({ name: "preset" }, [...sizes, [CUSTOM, "Custom size"]], this.asked.preset);
    this.rows = numberInput("rows", this.asked.rows, { min: 1, max: largest, required: true });
    this.cols = numberInput("cols", this.asked.cols, { min: 1, max: largest, required: true });
    this.unit = select({ name: "by", "aria-label": "Unit" }, [["mines", "mines"], ["density", "% of cells"]], "mines");
    this.amount = numberInput("amount", this.asked.mines, { min: 0, required: true, "aria-label": "Mines" });
    this.customSize = h(
      "div",
      { class: "fields custom-size" },
      field("Rows", this.rows),
      field("Columns", this.cols),
      h("div", { class: "field" }, h("span", { class: "field-name" }, "With"), h("span", { class: "joined" }, this.amount, this.unit)),
      h("button", { type: "submit" }, "New game of this size"),
    );
  }

  addOtherInputs() {
    const { agents, noises, sources, rules } = this.options;
    const { asked } = this;
    this.agent = select({ name: "agent" }, agentOptions(agents), asked.agent);
    this.seed = numberInput("seed", asked.seed, { min: 0, placeholder: "a number" });
    this.number = numberInput("number", asked.number, { min: 0 });
    this.ruleInputs = ruleInputs(rules, asked.rules);
    this.source = select({ name: "source" }, sources.map((s) => [s.name, SOURCES[s.name] ?? s.name]), asked.source);
    this.noise = new NoiseFields(noises, asked.noise);
  }

  makeForm() {
    const { rules } = this.options;
    const ruleFields = Object.entries(this.ruleInputs).map(([name, input]) => [name, field(rules[name].title, input)]);
    const { on_mine: onMine, ...others } = Object.fromEntries(ruleFields);
    const form = h(
      "form",
      {
        class: "setup card",
        "aria-label": "New game",
        novalidate: true,
        onsubmit: (event) => {
          event.preventDefault();
          if (form.reportValidity()) this.start(this.newGame());
        },
      },
      h(
        "div",
        { class: "fields" },
        field("Board", this.preset),
        onMine,
        field("Hints from", this.agent),
      ),
      this.customSize,
      this.options.note ? h("p", { class: "small muted" }, this.options.note) : "",
      h(
        "details",
        {},
        h("summary", {}, "More options"),
        this.agentSummary,
        h(
          "div",
          { class: "fields" },
          ...Object.values(others),
          field("Boards", this.source),
          ...this.noise.elements,
        ),
        h(
          "div",
          { class: "fields board-fields" },
          field("Seed", this.seed),
          field("Board number", this.number),
          h("button", { type: "button", class: "deal", onclick: () => form.reportValidity() && this.start(this.thisBoard()) }, "Deal this board"),
        ),
      ),
    );
    return form;
  }

  update() {
    this.customSize.hidden = this.preset.value !== CUSTOM;
    this.agentSummary.textContent = this.options.agents.find((a) => a.name === this.agent.value)?.summary ?? "";
  }

  // The board that is played, in the fields for it.
  showBoard(state) {
    const { seed, number, given } = state;
    this.preset.value = presetOf(state, this.options.presets) ?? this.preset.value; // a link may give the size in numbers
    this.update();
    this.given = given;
    this.seed.value = given ? "" : seed;
    this.number.value = given ? "" : number;
  }

  // The body of the request for a new game on a new board.
  newGame() {
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
      ...this.asked.rules,
      ...chosenRules(this.ruleInputs),
      source: this.source.value,
      noise: this.noise.spec,
      agent: this.agent.value,
    };
  }

  // The body of the request for a game on the board of the fields seed and number.
  thisBoard() {
    const seed = this.seed.value === "" ? {} : { seed: seedOf(this.seed.value) };
    const isGiven = this.given && this.seed.value === "";
    const board = isGiven ? { layout: this.given, first_click: "any" } : seed;
    return { ...this.newGame(), ...board, number: Number(this.number.value || 0) };
  }
}

// The name of the preset with the size of a game; undefined if no preset has it.
function presetOf({ rows, cols, mines }, presets) {
  return Object.keys(presets).find((key) => {
    const size = presets[key];
    return size.rows === rows && size.cols === cols && size.mines === mines;
  });
}

// The parameters of the address that deal the board of a game.
export function boardAddress(state, { presets, defaults }) {
  const { rows, cols, mines, rules } = state;
  const name = presetOf(state, presets);
  const values = { ...addressRules(rules, cols), source: state.source, noise: state.noise, number: state.number };
  for (const [key, value] of Object.entries(defaults)) if (String(values[key]) === String(value)) values[key] = null;
  return {
    preset: name ?? null,
    ...(name ? { rows: null, cols: null, mines: null } : { rows, cols, mines }),
    seed: String(state.seed),
    ...values,
    ...(state.given ? { preset: null, rows, cols, mines, seed: null, number: null, layout: encodeLayout(state.given) } : {}),
  };
}

// The body of the request that deals the board of a game again.
export function gameBody({ rows, cols, mines, rules, source, noise, seed, number, agent, given }) {
  const board = given ? { layout: given } : { source, seed, number };
  return { rows, cols, mines, ...flatRules(rules, cols), ...board, noise, agent };
}

// A number, or the text of one that a number here would round.
function seedOf(text) {
  return Number.isSafeInteger(Number(text)) || !/^[0-9]+$/.test(text) ? Number(text) : text;
}

function numberInput(name, value, props) {
  return h("input", { type: "number", name, value, inputmode: "numeric", ...props });
}
