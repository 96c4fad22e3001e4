// A document without a browser: as much of the DOM as the scripts of the pages use. Import it before them.

const REFLECTED = ["hidden", "disabled", "open", "href", "title", "type", "name"];

class FakeElement {
  constructor(tag) {
    this.tag = tag;
    this.attributes = {};
    this.nodes = []; // elements and texts
    this.parent = null;
    this.listeners = {};
    this.dataset = {};
    this.className = "";
    this.hidden = false;
    this.disabled = false;
    this.checked = false;
    this.clientWidth = 0;
    const properties = {};
    this.style = {
      properties,
      setProperty: (name, value) => (properties[name] = String(value)),
      removeProperty: (name) => delete properties[name],
    };
  }

  // The tree.

  get children() {
    return this.nodes.filter((node) => node instanceof FakeElement);
  }

  get childElementCount() {
    return this.children.length;
  }

  get firstElementChild() {
    return this.children[0] ?? null;
  }

  get textContent() {
    return this.nodes.map((node) => (node instanceof FakeElement ? node.textContent : node)).join("");
  }

  set textContent(text) {
    this.replaceChildren(String(text));
  }

  append(...nodes) {
    for (const node of nodes) {
      if (node instanceof FakeElement) {
        node.remove();
        node.parent = this;
      }
      this.nodes.push(node instanceof FakeElement ? node : String(node));
    }
  }

  prepend(...nodes) {
    const rest = this.nodes;
    this.nodes = [];
    this.append(...nodes);
    this.nodes.push(...rest.filter((node) => !nodes.includes(node)));
  }

  replaceChildren(...nodes) {
    for (const child of this.children) child.parent = null;
    this.nodes = [];
    this.append(...nodes);
  }

  remove() {
    if (this.parent) this.parent.nodes = this.parent.nodes.filter((node) => node !== this);
    this.parent = null;
  }

  cloneNode() {
    const copy = new FakeElement(this.tag);
    for (const [name, value] of Object.entries(this.attributes)) copy.setAttribute(name, value);
    return copy;
  }

  contains(other) {
    for (let at = other; at; at = at.parent) if (at === this) return true;
    return false;
  }

  // Attributes, classes and values.

  setAttribute(name, value) {
    this.attributes[name] = String(value);
    if (name.startsWith("data-")) this.dataset[name.slice(5)] = String(value);
    if (name === "class") this.className = String(value);
    if (REFLECTED.includes(name)) this[name] = value === "" ? true : value;
  }

  getAttribute(name) {
    return this.attributes[name] ?? null;
  }

  get classList() {
    const words = () => this.className.split(" ").filter(Boolean);
    const toggle = (word, on = !words().includes(word)) => {
      this.className = [...words().filter((other) => other !== word), ...(on ? [word] : [])].join(" ");
    };
    return { contains: (word) => words().includes(word), add: (word) => toggle(word, true), remove: (word) => toggle(word, false), toggle };
  }

  get value() {
    if (this.tag !== "select") return this.text ?? "";
    const options = this.querySelectorAll("option");
    return (options.find((option) => option.selected) ?? options[0])?.value ?? "";
  }

  set value(value) {
    this.text = String(value);
    if (this.tag === "select") for (const option of this.querySelectorAll("option")) option.selected = option.value === this.text;
  }

  // Selectors: tags, classes, attributes and :not, with spaces and commas.

  matches(selector) {
    return selector.split(",").some((one) => {
      const parts = one.trim().split(/\s+/);
      if (!this.matchesPart(parts.pop())) return false;
      let at = this.parent;
      while (at && parts.length) {
        if (at.matchesPart(parts.at(-1))) parts.pop();
        at = at.parent;
      }
      return !parts.length;
    });
  }

  matchesPart(part) {
    const [plain, ...not] = part.split(":not(");
    if (not.some((refused) => this.matchesPart(refused.slice(0, -1)))) return false;
    return plain.match(/^[\w-]+|\.[\w-]+|\[[^\]]+\]/g).every((word) => {
      if (word[0] === ".") return this.classList.contains(word.slice(1));
      if (word[0] !== "[") return this.tag === word;
      const [name, value] = word.slice(1, -1).split("=");
      return value === undefined ? name in this.attributes : this.attributes[name] === value.replaceAll('"', "");
    });
  }

  querySelectorAll(selector) {
    return this.children.flatMap((child) => [...(child.matches(selector) ? [child] : []), ...child.querySelectorAll(selector)]);
  }

  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  closest(selector) {
    return this.matches(selector) ? this : (this.parent?.closest(selector) ?? null);
  }

  // Events.

  addEventListener(name, listener) {
    (this.listeners[name] ??= []).push(listener);
  }

  // Let an event happen here; it rises to the document.
  fire(name, properties = {}) {
    let stopped = false;
    const event = {
      type: name,
      target: this,
      defaultPrevented: false,
      preventDefault: () => (event.defaultPrevented = true),
      stopPropagation: () => (stopped = true),
      ...properties,
    };
    for (let at = this; at && !stopped; at = at.parent) for (const listener of at.listeners[name] ?? []) listener(event);
    if (!stopped) for (const listener of document.listeners[name] ?? []) listener(event);
    return event;
  }

  click(detail = 0) {
    if (this.type === "checkbox") this.checked = !this.checked;
    this.fire("click", { detail });
    if (this.type === "checkbox") this.fire("change");
  }

  // Choose a value as a person does.
  choose(value) {
    this.value = value;
    this.fire("input");
    this.fire("change");
  }

  focus() {
    document.activeElement = this;
    this.fire("focusin");
  }

  select() {}
}

const kept = new Map();
const listeners = {};

Object.assign(globalThis, {
  document: {
    activeElement: null,
    hidden: false,
    listeners,
    createElement: (tag) => new FakeElement(tag),
    createElementNS: (_, tag) => new FakeElement(tag),
    getElementById: () => null,
    addEventListener: (name, listener) => (listeners[name] ??= []).push(listener),
    removeEventListener: (name, listener) => (listeners[name] = (listeners[name] ?? []).filter((other) => other !== listener)),
  },
  location: { hash: "", href: "", hostname: "127.0.0.1" },
  history: {
    pushed: [],
    pushState(_state, _title, hash) {
      this.pushed.push(location.hash);
      location.hash = hash;
    },
    replaceState(_state, _title, hash) {
      location.hash = hash;
    },
  },
  localStorage: {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, String(value)),
    removeItem: (key) => kept.delete(key),
    clear: () => kept.clear(),
  },
  ResizeObserver: class {
    observe() {}
  },
  matchMedia: () => ({ matches: false }),
  innerHeight: 900,
  innerWidth: 1280,
});

const TIMEOUT = 60_000_000_000n; // nanoseconds, by a clock that no test replaces

// Wait until a condition is true.
export async function until(condition) {
  const end = process.hrtime.bigint() + TIMEOUT;
  while (!condition()) {
    if (process.hrtime.bigint() > end) throw new Error(`it never becomes true: ${condition}`);
    await new Promise((done) => setImmediate(done));
  }
}
