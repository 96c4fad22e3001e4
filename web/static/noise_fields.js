// The choice of a clue noise with its rates.

import { field, h, select } from "./dom.js";

export class NoiseFields {
  // `noises` as the server lists them, `chosen` a spec such as hidden(rate=0.25); `changed()` is called after a change.
  constructor(noises, chosen, changed = () => {}) {
    this.noises = noises;
    const [name] = chosen.split("(");
    this.select = select({ name: "noise" }, noises.map((n) => [n.name, n.name === "exact-clues" ? "exact" : n.name]), name);
    this.rates = h("span", { class: "fields" });
    this.select.addEventListener("change", () => {
      this.drawRates("");
      changed();
    });
    this.rates.addEventListener("change", changed);
    this.drawRates(chosen);
    this.elements = [field("Clues", this.select), this.rates];
  }

  // One input for each parameter, with the value of the spec or else the default.
  drawRates(spec) {
    const noise = this.noises.find((n) => n.name === this.select.value);
    this.rates.replaceChildren(
      ...Object.entries(noise?.parameters ?? {}).map(([name, value]) => {
        const match = spec.startsWith(`${this.select.value}(`) ? spec.match(new RegExp(`\\b${name}=([0-9.]+)`)) : null;
        const input = h("input", { type: "number", name, value: match?.[1] ?? value, step: "any", min: 0, "data-noise": name });
        return field(name, input);
      }),
    );
    this.rates.hidden = !this.rates.children.length;
  }

  set(spec) {
    this.select.value = spec.split("(")[0];
    this.drawRates(spec);
  }

  // The spec, such as hidden(rate=0.25).
  get spec() {
    const rates = [...this.rates.querySelectorAll("input")].map((input) => `${input.dataset.noise}=${Number(input.value)}`);
    return rates.length ? `${this.select.value}(${rates.join(",")})` : this.select.value;
  }
}
