// The colour and the marker of an agent, the same as in the plots of published leaderboards.

import { h, svg } from "./dom.js";

// Paths around (0, 0), about 10 wide, by matplotlib's letter of the marker.
const MARKERS = {
  o: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
  s: "M-3.6-3.6h7.2v7.2h-7.2z",
  "^": "M0-4.6l4.6 8.2h-9.2z",
  v: "M0 4.6l4.6-8.2h-9.2z",
  "<": "M-4.6 0l8.2-4.6v9.2z",
  ">": "M4.6 0l-8.2-4.6v9.2z",
  D: "M0-5l5 5-5 5-5-5z",
  d: "M0-5.4l3.2 5.4-3.2 5.4-3.2-5.4z",
  P: "M-1.6-4.6h3.2v3h3v3.2h-3v3h-3.2v-3h-3v-3.2h3z",
  X: "M-2.5-4.6l2.5 2.5 2.5-2.5 2.1 2.1-2.5 2.5 2.5 2.5-2.1 2.1-2.5-2.5-2.5 2.5-2.1-2.1 2.5-2.5-2.5-2.5z",
  h: "M0-4.7l4.1 2.35v4.7l-4.1 2.35-4.1-2.35v-4.7z",
  p: "M0-4.7l4.5 3.25-1.7 5.25h-5.6l-1.7-5.25z",
  8: "M-1.8-4.4h3.6l2.6 2.6v3.6l-2.6 2.6h-3.6l-2.6-2.6v-3.6z",
};
const DASHES = ["none", "7 3", "2 2", "8 3 1.5 3"];

export const dashOf = (look) => DASHES[look.dash];

// The marker at a point of a drawing, in the current colour.
export function markerAt(look, x, y) {
  return svg("path", { d: MARKERS[look.marker] ?? MARKERS.o, transform: `translate(${x} ${y})` });
}

// The marker as a small picture before the name of an agent.
export function agentMark(look) {
  return svg("svg", { viewBox: "-7 -7 14 14", class: `agent-mark s${look.colour}`, "aria-hidden": "true" }, markerAt(look, 0, 0));
}

// The looks of all agents of a run, by label.
export function looksOf(overview) {
  return new Map(overview.agents.map((agent) => [agent.label, agent.look]));
}

// A function that draws the name of an agent: its mark and its short name, which links to `href` if there is one.
export function agentNames(overview) {
  const agents = new Map(overview.agents.map((agent) => [agent.label, agent]));
  return (label, href) => {
    const { look, short } = agents.get(label) ?? {};
    const title = short && short !== label ? label : null;
    return h("span", { class: "agent-name", title }, look ? agentMark(look) : "", h(href ? "a" : "span", { href }, short ?? label));
  };
}
