// Functions that make elements. A string always becomes text, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, props, children) {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked" || key === "selected") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// h("p", {class: "note", onclick: act}, "text", child, [more children])
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

// The same as h for SVG elements.
export function svg(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

// A select whose options are [value, text], or [value, text, disabled].
export function select(props, options, chosen) {
  return h(
    "select",
    props,
    options.map(([value, text, disabled]) => h("option", { value, disabled, selected: String(value) === String(chosen) }, text)),
  );
}

// What has failed, with a button to try it again.
export function failure(message, again) {
  return h("div", { class: "notice", role: "alert" }, h("p", {}, message), h("button", { type: "button", onclick: again }, "Try again"));
}

const sizes = globalThis.ResizeObserver && new ResizeObserver((entries) => entries.forEach(({ target }) => target.dispatchEvent(new Event("scroll"))));

// A frame in which a wide table scrolls. It says how many of its columns are cut off on the right.
export function wideTable(label, table) {
  const frame = h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": label }, table);
  const more = h("p", { class: "more-columns small muted", hidden: true });
  const update = () => {
    const { right } = frame.getBoundingClientRect();
    const cut = [...table.querySelectorAll("thead th")].filter((head) => head.getBoundingClientRect().right > right + 2).length;
    frame.classList.toggle("is-cut", cut > 0);
    more.hidden = frame.scrollWidth <= frame.clientWidth + 2; // the line keeps its place while the table is scrolled
    more.textContent = cut ? `${cut} more ${cut === 1 ? "column" : "columns"} on the right →` : "← more columns on the left";
  };
  frame.addEventListener("scroll", update);
  sizes?.observe(frame);
  sizes?.observe(table);
  return h("div", {}, more, frame);
}

// A label around a control, with its text before the control.
export function field(label, control, props) {
  return h("label", { class: "field", ...props }, h("span", { class: "field-name" }, label), control);
}

// A checkbox with its text after it.
export function checkbox(label, checked, onchange, props) {
  const box = h("input", { type: "checkbox", checked, onchange: () => onchange(box.checked), ...props });
  return h("label", { class: "check" }, box, label);
}

// Paths of 16 x 16: those of FILLED are filled, the others are lines.
const PATHS = {
  first: "M3 2.5v11M13.5 2.5L8.5 8l5 5.5zM8.5 2.5L3.5 8l5 5.5z",
  back: "M10.5 2.5L5 8l5.5 5.5",
  play: "M3.5 1.5l10.5 6.5-10.5 6.5z",
  pause: "M3 2h3.6v12H3zM9.4 2H13v12H9.4z",
  forward: "M5.5 2.5L11 8l-5.5 5.5",
  last: "M13 2.5v11M2.5 2.5L7.5 8l-5 5.5zM7.5 2.5l5 5.5-5 5.5z",
  undo: "M6 2L2 6l4 4M2 6h7a4 4 0 0 1 0 8H6",
};
const FILLED = ["first", "play", "pause", "last"];

// A small picture for a button; the button has a text or a label too.
export function icon(name) {
  const filled = FILLED.includes(name);
  const props = { fill: filled ? "currentColor" : "none", "stroke-width": filled ? 1 : 2.2 };
  return svg(
    "svg",
    { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" },
    svg("path", { d: PATHS[name], stroke: "currentColor", ...props }),
  );
}
