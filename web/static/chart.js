// Scores by condition, as lines over the density when the conditions are a sweep, else as rows of dots.

import { h, svg } from "./dom.js";
import { number } from "./text.js";

const SHAPES = [
  (x, y) => svg("circle", { cx: x, cy: y, r: 4 }),
  (x, y) => svg("rect", { x: x - 3.6, y: y - 3.6, width: 7.2, height: 7.2 }),
  (x, y) => svg("path", { d: `M${x} ${y - 5}l5 8.6h-10z` }),
  (x, y) => svg("path", { d: `M${x} ${y - 5}l5 5-5 5-5-5z` }),
  (x, y) => svg("path", { d: `M${x} ${y + 5}l5-8.6h-10z` }),
];
const COLOURS = 8;

export function chart(overview, board, score) {
  const conditions = overview.conditions.filter((c) => board.tables.some((table) => table.condition === c.label));
  const blocks = conditions.map((c) => ({
    ...c,
    density: c.mines / (c.rows * c.cols),
    lines: new Map(board.tables.find((t) => t.condition === c.label).standings.map((l) => [l.agent, l.scores[score]]).filter(([, value]) => value.mean !== null)),
  }));
  const agents = board.tables[0].standings.map((line) => line.agent);
  const values = blocks.flatMap((b) => [...b.lines.values()]);
  const low = Math.min(0, ...values.map((v) => v.low));
  const high = Math.max(...values.map((v) => v.high), low + 1e-9);
  const shape = new Set(blocks.map((b) => `${b.rows}x${b.cols}|${b.rules.text}|${b.noise}|${b.source}`));
  const sweep = blocks.length > 2 && shape.size === 1;
  const scale = { low, high: high <= 1 && high > 0.6 ? 1 : high };
  const drawing = sweep ? lines(blocks, agents, scale, score) : dots(blocks, agents, scale, score);
  const chartKey = h(
    "ul",
    { class: "key" },
    agents.map((agent, k) => h("li", {}, svg("svg", { viewBox: "0 0 14 14", class: `key-mark s${k % COLOURS}`, "aria-hidden": "true" }, SHAPES[k % SHAPES.length](7, 7)), agent)),
  );
  return h("figure", {}, drawing, h("figcaption", {}, chartKey));
}

// Charts are drawn narrow for narrow pages, so that their texts stay readable.
function chartWidth() {
  return innerWidth < 640 ? 360 : 760;
}

// Round numbers between two ends.
function ticks(low, high, about = 5) {
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= 0.95 * raw);
  const values = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) values.push(k * step);
  return values;
}

// The mean with its interval, as a tooltip.
function tooltip(agent, condition, value) {
  return svg("title", {}, `${agent}, ${condition}: ${number(value.mean)} (${number(value.low)} to ${number(value.high)})`);
}

// The number at a tick of an axis.
function tickText(value) {
  return String(Number(value.toPrecision(6))).replace("-", "−");
}

function dots(blocks, agents, scale, score) {
  const width = chartWidth();
  const left = width < 500 ? 120 : 150;
  const gap = 13;
  const blockHeight = agents.length * gap + 16;
  const height = blocks.length * blockHeight + 30;
  const x = (v) => left + ((width - left - 20) * (v - scale.low)) / (scale.high - scale.low);
  const grid = ticks(scale.low, scale.high).map((v) => [
    svg("line", { class: "grid", x1: x(v), x2: x(v), y1: 4, y2: height - 24 }),
    svg("text", { class: "axis", x: x(v), y: height - 8, "text-anchor": "middle" }, tickText(v)),
  ]);
  const groups = blocks.map((block, b) => [
    svg("text", { class: "name", x: left - 10, y: b * blockHeight + blockHeight / 2 + 4, "text-anchor": "end" }, shorten(block.label)),
    b ? svg("line", { class: "rule", x1: 0, x2: width, y1: b * blockHeight + 2, y2: b * blockHeight + 2 }) : null,
    agents.map((agent, k) => {
      const value = block.lines.get(agent);
      const y = b * blockHeight + 16 + k * gap;
      return value
        ? svg("g", { class: `s${k % COLOURS}` }, tooltip(agent, block.label, value), svg("line", { class: "whisker", x1: x(value.low), x2: x(value.high), y1: y, y2: y }), SHAPES[k % SHAPES.length](x(value.mean), y))
        : null;
    }),
  ]);
  return svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${score} of every agent under every condition, with 95 % intervals; the table above has the numbers` }, grid, groups);
}

function lines(blocks, agents, scale, score) {
  const width = chartWidth();
  const height = width < 500 ? 280 : 340;
  const [left, bottom] = [52, 44];
  const sorted = [...blocks].sort((a, b) => a.density - b.density);
  const ends = [sorted[0].density, sorted.at(-1).density];
  const x = (d) => left + ((width - left - 24) * (d - ends[0])) / (ends[1] - ends[0] || 1);
  const y = (v) => 12 + (height - bottom - 12) * (1 - (v - scale.low) / (scale.high - scale.low));
  const grid = [
    ...ticks(scale.low, scale.high).map((v) => [
      svg("line", { class: "grid", x1: left, x2: width - 20, y1: y(v), y2: y(v) }),
      svg("text", { class: "axis", x: left - 8, y: y(v) + 4, "text-anchor": "end" }, tickText(v)),
    ]),
    ...ticks(...ends, 6).map((d) => svg("text", { class: "axis", x: x(d), y: height - bottom + 18, "text-anchor": "middle" }, tickText(100 * d))),
    svg("text", { class: "name", x: (left + width) / 2, y: height - 6, "text-anchor": "middle" }, "mines, % of cells"),
  ];
  const series = agents.map((agent, k) => {
    const points = sorted.flatMap((block) => (block.lines.has(agent) ? [[x(block.density), block.lines.get(agent), block]] : []));
    const path = points.map(([px, v], i) => `${i ? "L" : "M"}${px} ${y(v.mean)}`).join("");
    return svg(
      "g",
      { class: `s${k % COLOURS}` },
      svg("path", { class: "line", d: path }),
      points.map(([px, v, block]) => svg("g", {}, tooltip(agent, block.label, v), svg("line", { class: "whisker", x1: px, x2: px, y1: y(v.low), y2: y(v.high) }), SHAPES[k % SHAPES.length](px, y(v.mean)))),
    );
  });
  return svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${score} of every agent over the density, with 95 % intervals; the table above has the numbers` }, grid, series);
}

function shorten(text) {
  return text.length > 18 ? `${text.slice(0, 17)}…` : text;
}
