// Scores by condition: curves over the density, the size or the rate of the noise if the conditions vary in it, else a
// row of marks for each agent.

import { agentNames, dashOf, looksOf, markerAt } from "./agent_mark.js";
import { h, svg } from "./dom.js";
import { estimateText } from "./standings.js";

const KINDS = { density: "mine density", size: "board size", noise: "noise rate", condition: "condition" };
const PANEL = { wide: 560, narrow: 350, height: 300, left: 56, right: 14, top: 14, bottom: 48 };

// The charts that the conditions of a run allow: [name, text], the best first.
export function chartKinds(overview, board) {
  const tables = new Set(board.tables.map((table) => table.condition));
  const known = new Set(overview.conditions.filter((c) => tables.has(c.label)).map((c) => c.id));
  const drawn = overview.sweeps.filter((sweep) => sweep.series.some((series) => series.points.filter(([, id]) => known.has(id)).length > 1));
  return [...drawn.map((sweep) => sweep.name), "condition"].map((name) => [name, KINDS[name]]);
}

// `score` is a column of the board, `kind` a name of `chartKinds`, `shown(agent)` says whether an agent is to be shown.
export function chart(overview, board, { score, kind, shown }) {
  const [looks, name] = [looksOf(overview), agentNames(overview)];
  const agents = board.tables[0].standings.map((line) => line.agent).filter(shown);
  const byCondition = new Map(board.tables.map((table) => [table.condition, new Map(table.standings.map((line) => [line.agent, line.scores[score.name]]))]));
  const conditions = overview.conditions.filter((c) => byCondition.has(c.label));
  const value = (condition, agent) => {
    const found = byCondition.get(condition.label)?.get(agent);
    if (!found || found.mean === null) return null;
    const by = score.scale;
    return { mean: by * found.mean, low: by * found.low, high: by * found.high, text: estimateText(found, score, score.percent ? 1 : 3).join(", ") };
  };
  const scene = { agents, looks, value, title: score.axis };
  const drawing = kind === "condition" ? dots(scene, conditions) : curves(scene, overview, kind);
  const key = agents.map((agent) => h("li", {}, name(agent)));
  return h("figure", {}, drawing, h("figcaption", {}, h("ul", { class: "key" }, key), h("p", { class: "small muted" }, `${scene.title}, with 95 % intervals. The axis begins where the scores do, not at 0. A dashed line marks a gap that is left out.`)));
}

const isNarrow = () => innerWidth < 640;

const MIN_RANGE = 1e-6;
const MAX_GAP = 0.6; // of the range: a larger gap without any value is cut out of the axis
const CUT = 0.08; // of the axis: the width of a gap that was cut out

// An axis for some values with their intervals: `at(value)` is its place from 0 to 1, `ticks` the values to write at the
// axis, `cut` the place where a large gap between the values is left out, or null.
export function axisOf(values) {
  const sorted = values.toSorted((a, b) => a.low - b.low);
  const low = sorted[0].low;
  let high = low;
  let gap = [low, low];
  for (const value of sorted) {
    if (value.low - high > gap[1] - gap[0]) gap = [high, value.low];
    high = Math.max(high, value.high);
  }
  const space = 0.04 * Math.max(high - low, MIN_RANGE);
  if (gap[1] - gap[0] <= MAX_GAP * (high - low)) return { ...straight(low - space, high + space, 0, 1), cut: null };
  const margin = 0.04 * (high - low - gap[1] + gap[0]) || MIN_RANGE;
  const [below, above] = [gap[0] - low + 2 * margin, high - gap[1] + 2 * margin];
  const end = (1 - CUT) * Math.min(0.8, Math.max(0.2, below / (below + above)));
  const parts = [straight(low - margin, gap[0] + margin, 0, end), straight(gap[1] - margin, high + margin, end + CUT, 1)];
  const at = (value) => parts[value <= gap[0] + margin ? 0 : 1].at(value);
  return { at, ticks: parts.flatMap((part) => part.ticks), cut: end + CUT / 2 };
}

// A part of an axis, between two values and two places.
function straight(low, high, first, last) {
  const width = high - low || MIN_RANGE;
  return { at: (value) => first + ((last - first) * (value - low)) / width, ticks: ticks([low, low + width], Math.max(2, Math.round(5 * (last - first)))) };
}

// Round numbers between two ends.
function ticks([low, high], about = 5) {
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= 0.95 * raw);
  const values = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) values.push(k * step);
  return values;
}

function tickText(value) {
  return (Number(value.toPrecision(6)) || 0).toLocaleString("en", { maximumFractionDigits: 9 }).replace("-", "−");
}

function tooltip(agent, condition, value) {
  return svg("title", {}, `${agent}, ${condition}: ${value.text}`);
}

// A panel for each condition, under its title: a mark with its interval for each agent.
function dots({ agents, looks, value, title }, conditions) {
  const width = isNarrow() ? PANEL.narrow : PANEL.wide;
  const gap = 15;
  const height = agents.length * gap + 34;
  const values = conditions.flatMap((c) => agents.map((agent) => value(c, agent)).filter(Boolean));
  if (!values.length) return h("p", { class: "muted" }, "No agent is shown.");
  const axis = axisOf(values);
  const x = (v) => 12 + (width - 24) * axis.at(v);
  const panel = (condition) => {
    const cut = axis.cut === null ? [] : [svg("line", { class: "cut", x1: 12 + (width - 24) * axis.cut, x2: 12 + (width - 24) * axis.cut, y1: 0, y2: height - 20 })];
    const grid = axis.ticks.map((v) => [
      svg("line", { class: "grid", x1: x(v), x2: x(v), y1: 4, y2: height - 24 }),
      svg("text", { x: x(v), y: height - 8, "text-anchor": "middle" }, tickText(v)),
    ]);
    const marks = agents.map((agent, k) => {
      const v = value(condition, agent);
      if (!v) return null;
      const y = 14 + k * gap;
      return svg("g", { class: `s${looks.get(agent).colour}` }, tooltip(agent, condition.title, v), svg("line", { class: "whisker", x1: x(v.low), x2: x(v.high), y1: y, y2: y }), markerAt(looks.get(agent), x(v.mean), y));
    });
    return figurePanel(condition.short, width, height, `${title} of every agent`, grid, cut, marks);
  };
  return h("div", { class: "chart-panels" }, conditions.map(panel));
}

// A panel for each series of the sweep: a curve with intervals for each agent.
function curves({ agents, looks, value, title }, overview, kind) {
  const sweep = overview.sweeps.find((one) => one.name === kind);
  const byId = new Map(overview.conditions.map((c) => [c.id, c]));
  const width = isNarrow() ? PANEL.narrow : PANEL.wide;
  const { height, left, right, top, bottom } = PANEL;
  const all = sweep.series.flatMap((series) => series.points.flatMap(([, id]) => agents.map((agent) => value(byId.get(id), agent)).filter(Boolean)));
  if (!all.length) return h("p", { class: "muted" }, "No agent is shown.");
  const axis = axisOf(all);
  const atHeight = (at) => top + (height - top - bottom) * (1 - at);
  const y = (v) => atHeight(axis.at(v));
  const place = kind === "size" ? Math.sqrt : (v) => v; // sizes by the side of the board
  const panel = (series) => {
    const ends = [place(series.points[0][0]), place(series.points.at(-1)[0])];
    const x = (v) => left + ((width - left - right) * (place(v) - ends[0])) / (ends[1] - ends[0] || 1);
    const grid = [
      axis.cut === null ? [] : svg("line", { class: "cut", x1: left - 6, x2: width - right, y1: atHeight(axis.cut), y2: atHeight(axis.cut) }),
      ...axis.ticks.map((v) => [
        svg("line", { class: "grid", x1: left, x2: width - right, y1: y(v), y2: y(v) }),
        svg("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end" }, tickText(v)),
      ]),
      axisLabels(kind, series, byId, x).map(([px, text]) => svg("text", { x: px, y: height - bottom + 18, "text-anchor": "middle" }, text)),
      svg("text", { class: "name", x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, kind === "density" ? "mines, % of cells" : sweep.axis),
    ];
    const lines = agents.map((agent) => {
      const look = looks.get(agent);
      const points = series.points.flatMap(([at, id]) => (value(byId.get(id), agent) ? [[x(at), value(byId.get(id), agent), byId.get(id)]] : []));
      const path = points.map(([px, v], i) => `${i ? "L" : "M"}${px} ${y(v.mean)}`).join("");
      const marks = points.map(([px, v, condition]) =>
        svg("g", {}, tooltip(agent, condition.title, v), svg("line", { class: "whisker", x1: px, x2: px, y1: y(v.low), y2: y(v.high) }), markerAt(look, px, y(v.mean))),
      );
      return svg("g", { class: `s${look.colour}` }, svg("path", { class: "line", d: path, "stroke-dasharray": dashOf(look) }), marks);
    });
    return figurePanel(series.title, width, height, `${title} of every agent over the ${sweep.axis}`, grid, lines);
  };
  return h("div", { class: "chart-panels" }, sweep.series.map(panel));
}

// [x, text] of the labels of the horizontal axis: the points themselves, as many as fit.
function axisLabels(kind, series, byId, x) {
  const text = ([at, id]) => {
    const { rows, cols } = byId.get(id);
    return { density: tickText(100 * at), size: `${rows}×${cols}`, noise: tickText(at) }[kind];
  };
  const labels = [];
  for (const point of series.points) {
    const label = [x(point[0]), text(point)];
    const last = labels.at(-1);
    if (!last || label[0] - last[0] > 4 * (label[1].length + last[1].length) + 6) labels.push(label);
  }
  return labels;
}

function figurePanel(title, width, height, label, ...children) {
  const picture = svg(
    "svg",
    { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${label}${title ? `: ${title}` : ""}, with 95 % intervals; the tables have the numbers` },
    children,
  );
  return h("div", { class: "chart-panel" }, title ? h("h3", {}, title) : null, picture);
}
