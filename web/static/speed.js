// The speed of autoplay and of replays.

import { field, h } from "./dom.js";

// A slider from one turn in two seconds to no pause at all; `delay()` is the pause in milliseconds.
export function speed() {
  const slider = h("input", { type: "range", min: 0, max: 10, step: 1, value: 5, "aria-label": "Speed" });
  const valueText = () => `Speed ${slider.value} of 10`;
  slider.setAttribute("aria-valuetext", valueText());
  slider.addEventListener("input", () => slider.setAttribute("aria-valuetext", valueText()));
  return {
    element: field("Speed", slider, { class: "field speed" }),
    delay: () => (slider.value === "10" ? 0 : 2000 / 1.9 ** Number(slider.value)),
  };
}
