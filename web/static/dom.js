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

// A select whose options are [value, text] pairs.
export function select(props, options, chosen) {
  return h(
    "select",
    props,
    options.map(([value, text]) => h("option", { value, selected: String(value) === String(chosen) }, text)),
  );
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

const PATHS = {
  first: "M3 2v12M13 2L6 8l7 6z",
  back: "M12 2L4 8l8 6z",
  play: "M4 2l9 6-9 6z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z",
  forward: "M4 2l8 6-8 6z",
  last: "M13 2v12M3 2l7 6-7 6z",
  undo: "M6 2L2 6l4 4M2 6h7a4 4 0 0 1 0 8H6",
};

// A small picture for a button; the button has a text or a label too.
export function icon(name) {
  const line = name === "undo" ? { fill: "none" } : { fill: "currentColor" };
  return svg(
    "svg",
    { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" },
    svg("path", { d: PATHS[name], stroke: "currentColor", "stroke-width": name === "undo" ? 2 : 1.5, ...line }),
  );
}
