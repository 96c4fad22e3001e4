// Positions from elsewhere and to elsewhere: pasted texts and addresses, .mbf files, copies as text and as an address.

import { isSite, request } from "./api.js";
import { field, h } from "./dom.js";
import { analysisAddress } from "./position_code.js";
import { readPosition, writePosition } from "./position_text.js";
import { count } from "./text.js";

const MAX_BYTES = 40_000; // of a file; the server rejects larger ones
const NEEDS_SERVER = "This page reads rows of a position and its own addresses; other formats need sweepstakes serve.";

export class PositionFiles {
  // `opened(read)` is called with what was read, and says in words which rules it changed; `openAddress(hash)` with an
  // address of the Analysis page, and says what cannot be shown of it; `position()` and `mines()` are those of the page;
  // `options` are those of the server.
  constructor({ opened, openAddress, position, mines, options }) {
    this.options = options;
    this.opened = opened;
    this.openAddress = openAddress;
    this.position = position;
    this.mines = mines;
    this.text = h("textarea", { rows: 5, spellcheck: "false", placeholder: "9 9 10\n.........\n(or an address with a board)" });
    this.said = h("p", { class: "small", role: "status" });
    this.file = h("input", { type: "file", accept: ".mbf,.txt,.json", onchange: () => this.openFile(this.file.files[0]) });
    this.element = h(
      "details",
      { class: "position-files" },
      h("summary", {}, "Paste, open or copy a position"),
      field("Rows of a position or board, or an address", this.text),
      h(
        "div",
        { class: "own-links" },
        h("button", { type: "button", onclick: () => this.readText(this.text.value) }, "Read this text"),
        h("button", { type: "button", onclick: () => this.copy("text") }, "Copy as text"),
        isSite ? "" : h("button", { type: "button", onclick: () => this.copy("url") }, "Copy as JSMinesweeper address"),
      ),
      field(isSite ? "Open a file with text" : "Open a file: .mbf, text or JSON", this.file),
      this.said,
    );
  }

  say(text, isError = false) {
    this.said.className = isError ? "small status error" : "small";
    this.said.textContent = text;
    if (isError) this.element.open = true;
  }

  // What the text of a position says; other formats are read by the server.
  async decode({ text, mbf }) {
    const isOther = mbf !== undefined || /^\s*(\{|https?:)/.test(text);
    if (!isOther) return readPosition(text, this.mines(), this.options);
    if (isSite) throw new Error(NEEDS_SERVER);
    return request("api/positions/read", mbf === undefined ? { text, mines: this.mines() } : { mbf });
  }

  async read(body) {
    try {
      const read = await this.decode(body);
      const changed = this.opened(read);
      this.say(`Read: ${read.rows} × ${read.cols} with ${count(read.mines, "mine")}.${changed ? ` ${changed}` : ""}`);
    } catch (error) {
      this.say(error.message, true);
    }
  }

  // A text, or an address: that of this page is read here, any other by the server.
  async readText(text) {
    const own = analysisAddress(text);
    if (own === null) {
      await this.read({ text });
      return;
    }
    const wrong = this.openAddress(own);
    this.say(wrong || "Read: a position of this page, with its rules.", Boolean(wrong));
  }

  async openFile(file) {
    if (!file) return;
    if (file.size > MAX_BYTES) {
      this.say(`${file.name} has ${file.size.toLocaleString("en")} bytes: expected at most ${MAX_BYTES.toLocaleString("en")}.`, true);
      return;
    }
    if (file.name.toLowerCase().endsWith(".mbf")) {
      const bytes = new Uint8Array(await file.arrayBuffer());
      await this.read({ mbf: btoa(String.fromCharCode(...bytes)) });
    } else await this.readText(await file.text());
    this.file.value = "";
  }

  // A paste outside of the fields.
  paste(event) {
    if (event.target.closest?.("input, textarea")) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!text.trim()) return;
    event.preventDefault();
    this.text.value = text;
    this.readText(text);
  }

  async copy(what) {
    const { layout: _layout, ...position } = this.position();
    try {
      const written = what === "text" ? { text: writePosition(position, this.options) } : await request("api/positions/write", position);
      if (written[what] === null) {
        this.say(written.why, true);
        return;
      }
      this.text.value = written[what];
      await navigator.clipboard.writeText(written[what]).then(
        () => this.say("Copied."),
        () => {
          this.text.select();
          this.say("This browser does not let the page copy: the text is above.");
        },
      );
    } catch (error) {
      this.say(error.message, true);
    }
  }
}
