// The state of a page in its address, `#/NAME?key=value&key=value`, so that Back, Reload and a sent link show the same.
//
// `main.js` calls a page as `page(container, params, address)`: `params` is the URLSearchParams of the address and
// `address` an `Address`. A page
//   1. reads its state through `address`, which remembers every value that it cannot use:
//        const condition = address.choice("condition", labels, labels[0]);  // one of some texts
//        const turn = address.whole("turn", 0, length, 0);                  // a whole number of a range
//        const seed = address.text("seed", "");                             // any text; the page checks it,
//        address.complain(`...`);                                           // and says what is wrong with it
//   2. puts `address.notice()` on the page when everything has been read. It is a paragraph that names the values that
//      could not be used and the keys that nobody read; call `address.drawNotice()` after a later complaint;
//   3. calls `address.set({ condition: "...", turn: null })` when the state changes: null removes a key. Each call makes
//      a step for Back; `address.replace({...})` does not, for changes such as the turn of a replay;
//   4. has a `shareButton()`, which copies the address.
// Neither call opens the page again. Back, and a link to another state of the same page, make the page from its address
// as a first visit does. `pageLink("watch", { board: 3 })` is the address of a page, for links.

import { h } from "./dom.js";

// The name of the page and its parameters, from a text such as `#/watch?board=3`.
export function readAddress(hash) {
  const [name, query = ""] = hash.replace(/^#\/?/, "").split("?");
  return [name, new URLSearchParams(query)];
}

// The address of a page; keys whose value is null, undefined or empty are left out.
export function pageLink(name, values = {}) {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== "") params.set(key, value);
  }
  const query = params.toString();
  return query ? `#/${name}?${query}` : `#/${name}`;
}

export class Address {
  constructor(name, params) {
    this.name = name;
    this.params = new URLSearchParams(params);
    this.known = new Set();
    this.complaints = [];
    this.paragraph = h("p", { class: "notice address-notice", role: "alert", hidden: true });
  }

  // A text, or `fallback` if the address has no such key.
  text(key, fallback) {
    this.known.add(key);
    return this.params.get(key) ?? fallback;
  }

  // One of `values`; `what` is the word for them in a complaint.
  choice(key, values, fallback, what = key) {
    const value = this.text(key, null);
    if (value === null || values.includes(value)) return value ?? fallback;
    const expected = values.length > 8 ? `one of ${values.length}, such as ${values.slice(0, 3).join("; ")}` : values.join("; ");
    this.complain(`There is no ${what} “${value}” here: expected ${expected}.`);
    return fallback;
  }

  // A whole number from `min` to `max`.
  whole(key, min, max, fallback) {
    const value = this.text(key, null);
    if (value === null) return fallback;
    if (/^[0-9]+$/.test(value) && Number(value) <= max && Number(value) >= min) return Number(value);
    this.complain(`There is no ${key} “${value}” here: expected a number from ${min} to ${max}.`);
    return fallback;
  }

  complain(sentence) {
    this.complaints.push(sentence);
  }

  // The paragraph that says what could not be used; hidden if there is nothing to say.
  notice() {
    for (const key of this.params.keys()) {
      if (this.known.has(key)) continue;
      this.known.add(key);
      this.complain(`This page has no “${key}”: known are ${[...this.known].filter((name) => name !== key).join(", ")}.`);
    }
    this.drawNotice();
    return this.paragraph;
  }

  drawNotice() {
    this.paragraph.hidden = !this.complaints.length;
    this.paragraph.textContent = ["Not all of the address can be shown.", ...this.complaints].join(" ");
  }

  // Change keys, with a step for Back.
  set(values) {
    this.write(values, "pushState");
  }

  // Change keys without a step for Back.
  replace(values) {
    this.write(values, "replaceState");
  }

  write(values, method) {
    for (const [key, value] of Object.entries(values)) {
      if (value === null || value === undefined || value === "") this.params.delete(key);
      else this.params.set(key, value);
    }
    const hash = pageLink(this.name, Object.fromEntries(this.params));
    if (hash !== location.hash) history[method](null, "", hash);
  }
}

// A button that copies the address of the page, or shows it where the browser does not let pages copy.
export function shareButton() {
  const said = h("span", { class: "shared small muted", role: "status" });
  const share = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      said.textContent = ["localhost", "127.0.0.1"].includes(location.hostname) ? "Copied; it works on this machine." : "Copied.";
    } catch {
      const text = h("input", { type: "text", readonly: true, value: location.href, "aria-label": "The address of this page" });
      said.replaceChildren(text);
      text.select();
    }
  };
  return h("span", { class: "share" }, h("button", { type: "button", title: "Copy the address of what is shown", onclick: share }, "Share"), said);
}
