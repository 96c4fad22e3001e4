// Analysis: a position that is edited, pasted or opened, and everything that follows from it.

import { Address, readAddress, shareButton } from "./address.js";
import { championAdvice, exactAdvice, summary } from "./analysis_results.js";
import { fetchOptions, isSite, request } from "./api.js";
import { Board } from "./board.js";
import { frontierOf } from "./cell_view.js";
import { field, h, icon, select } from "./dom.js";
import { changeClue, coverAll, markOfKey, resize, setMark, toggleFlag, toggleOpen } from "./editing.js";
import { engineFor, loadEngine } from "./engine_source.js";
import { hintText } from "./hint_text.js";
import { heatScale } from "./legend.js";
import { asHint } from "./hints.js";
import { exactTurn } from "./local_games.js";
import { NoiseFields } from "./noise_fields.js";
import { decodeLayout, decodeMarks, positionValues } from "./position_code.js";
import { PositionFiles } from "./position_files.js";
import { changedRules, chosenRules, readRules, ruleInputs, wordRules } from "./rules.js";
import { firstClickText, proveCell, solvePosition } from "./solving.js";
import { REASON_MARKS, REASON_WORDS, agentOptions, backgroundText, cellName, percent } from "./text.js";

const NO_GAME = { first_click: "any" }; // the first click of a position that is not the beginning of a game
const PAUSE = 120; // milliseconds without a change, after which a position is solved that may take long
const QUICK_SOLVE = 30; // milliseconds; if the previous position took no longer, the next one is solved at once
const MAX_UNDO = 200;
// The brushes: what a click sets. The first opens and covers as on a real board.
const BRUSHES = [
  ["", "↔", "open or cover", "covered"],
  [".", "", "covered", "covered"],
  ["F", "", "flag", "covered flag"],
  ..."012345678".split("").map((mark) => [mark, mark === "0" ? "" : mark, mark === "0" ? "blank" : mark, `open c${mark}`]),
  ["?", "?", "open, its clue withheld", "open"],
  ["*", "", "a mine that went off", "detonated"],
];

export async function analysis(container, params, address) {
  const page = new AnalysisPage(await fetchOptions(), address);
  container.replaceChildren(page.element);
  page.show();
  return () => page.close();
}

class AnalysisPage {
  constructor(options, address) {
    this.options = options;
    this.address = address;
    this.past = [];
    this.future = [];
    this.brush = "";
    this.inspected = null;
    this.pointed = null; // the cell that the results point at
    this.proofs = new Map(); // by cell: {text, clues}
    this.position = this.readPosition(address);
    this.agentAsked = address.choice("agent", options.agents.filter((agent) => !agent.missing).map((agent) => agent.name), "");
    this.makeFields();
    this.status = h("p", { class: "status", role: "status", "aria-live": "polite" });
    this.layouts = h("p", { class: "small muted" });
    this.cellInfo = h("p", { class: "cell-info small" });
    this.results = h("div", { class: "results" });
    this.frame = h("div", { class: "frame" });
    this.files = new PositionFiles({
      opened: (read) => this.open(read),
      openAddress: (hash) => this.openAddress(hash),
      position: () => this.position,
      mines: () => this.position.mines,
      options,
    });
    this.undoButton = h("button", { type: "button", onclick: () => this.undo() }, icon("undo"), "Undo");
    this.redoButton = h("button", { type: "button", onclick: () => this.redo() }, "Redo");
    this.boardNote = h("p", { class: "small muted" });
    this.element = this.makeElement();
    this.onKey = (event) => this.pageKey(event);
    this.onPaste = (event) => this.files.paste(event);
    document.addEventListener("keydown", this.onKey);
    document.addEventListener("paste", this.onPaste);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    document.removeEventListener("keydown", this.onKey);
    document.removeEventListener("paste", this.onPaste);
  }

  // The position of an address; by default a covered Beginner board.
  readPosition(address) {
    const { largest, presets, noises, rules, defaults } = this.options;
    const { beginner } = presets;
    const rows = address.whole("rows", 1, largest, beginner.rows);
    const cols = address.whole("cols", 1, largest, beginner.cols);
    const noise = address.text("noise", defaults.noise);
    const isKnown = noises.some((each) => each.name === noise.split("(")[0]);
    if (!isKnown) address.complain(`There is no noise “${noise}” here: expected ${noises.map((each) => each.name).join("; ")}.`);
    const code = address.text("cells", null);
    const shown = code === null ? null : decodeMarks(code, rows * cols);
    if (code !== null && shown === null) address.complain(`The cells of the address are not those of ${rows} × ${cols}.`);
    const mineCode = address.text("layout", null);
    const layout = mineCode === null ? null : decodeLayout(mineCode, rows * cols);
    if (mineCode !== null && layout === null) address.complain(`The layout of the address is not that of ${rows} × ${cols}.`);
    return {
      rows,
      cols,
      mines: address.whole("mines", 0, rows * cols, Math.min(beginner.mines, rows * cols)),
      shown: shown ?? ".".repeat(rows * cols),
      ...readRules(address, wordRules(rules), { rules, defaults: this.usual }),
      noise: isKnown ? noise : defaults.noise,
      layout,
    };
  }

  makeFields() {
    const { presets, largest, noises, agents, rules } = this.options;
    const sizes = Object.keys(presets).map((name) => [name, `${name[0].toUpperCase()}${name.slice(1)}`]);
    const number = (name, props) => h("input", { type: "number", name, inputmode: "numeric", min: 0, ...props, onchange: () => this.fieldsChanged() });
    this.size = select({ name: "size" }, [...sizes, ["custom", "Custom"]], "custom");
    this.size.addEventListener("change", () => {
      const size = presets[this.size.value];
      if (size) this.change({ ...resize(this.position, size.rows, size.cols), mines: size.mines });
    });
    this.rows = number("rows", { min: 1, max: largest });
    this.cols = number("cols", { min: 1, max: largest });
    this.mines = number("mines", {});
    this.ruleInputs = ruleInputs(rules, this.position);
    for (const input of Object.values(this.ruleInputs)) input.addEventListener("change", () => this.fieldsChanged());
    this.noise = new NoiseFields(noises, this.position.noise, () => this.fieldsChanged());
    this.agent = select({ name: "agent" }, [["", "nobody else"], ...agentOptions(agents)], this.agentAsked);
    this.agent.addEventListener("change", () => {
      this.address.replace({ agent: this.agent.value });
      this.fetchHint();
    });
  }

  makeElement() {
    const brushes = BRUSHES.map(([mark, text, label, look]) => {
      const radio = h("input", { type: "radio", name: "brush", value: mark, checked: mark === this.brush, "aria-label": label });
      radio.addEventListener("change", () => {
        this.brush = mark;
      });
      return h("label", { class: "brush", title: label }, radio, h("span", { class: `cell sample ${look}`, "aria-hidden": "true" }, text));
    });
    const zoom = (label, sign, factor) =>
      h("button", { type: "button", class: "tiny", "aria-label": label, onclick: () => this.board.enlarge(factor) }, sign);
    return h(
      "div",
      { class: "analysis-page" },
      h("h1", { class: "sr-only" }, "Analysis"),
      this.address.notice(),
      h(
        "div",
        { class: "play-main" },
        h("div", { class: "status-line" }, this.status),
        h("fieldset", { class: "brushes" }, h("legend", { class: "sr-only" }, "A click sets"), brushes),
        h(
          "div",
          { class: "board-head" },
          h(
            "span",
            { class: "joined edit-buttons" },
            this.undoButton,
            this.redoButton,
            h("button", { type: "button", onclick: () => this.change(coverAll(this.position)) }, "Cover all"),
          ),
          h("span", { class: "zoom" }, zoom("Smaller cells", "−", 0.8), zoom("Larger cells", "+", 1.25)),
        ),
        this.frame,
        this.cellInfo,
        this.boardNote,
      ),
      h(
        "aside",
        { class: "side", "aria-label": "Results and rules" },
        h("div", { class: "card" }, this.results, this.layouts, heatScale(), field("What would another agent do?", this.agent), h("div", { class: "own-links" }, shareButton()), this.files.element, help()),
        h(
          "form",
          { class: "card setup", "aria-label": "Position", onsubmit: (event) => event.preventDefault() },
          h("div", { class: "fields" }, field("Board", this.size), field("Rows", this.rows), field("Columns", this.cols), field("Mines", this.mines), this.noise.elements),
          h(
            "details",
            {},
            h("summary", {}, "More options"),
            h("div", { class: "fields" }, Object.entries(this.ruleInputs).map(([name, input]) => field(this.options.rules[name].title, input))),
          ),
        ),
      ),
    );
  }

  // Replace the position, with a step for Undo.
  change(position) {
    if (position === this.position) return;
    this.past = [...this.past.slice(1 - MAX_UNDO), this.position];
    this.future = [];
    this.position = position;
    this.show();
  }

  undo() {
    if (!this.past.length) return;
    this.future.push(this.position);
    this.position = this.past.pop();
    this.show();
  }

  redo() {
    if (!this.future.length) return;
    this.past.push(this.position);
    this.position = this.future.pop();
    this.show();
  }

  // A position that was pasted or opened, with the rules that it states: the others stay. Says which of them have changed.
  open(read) {
    this.brush = "";
    this.element.querySelector(".brush input").checked = true;
    const before = this.position;
    this.change({ ...before, layout: null, ...read });
    return changedRules(before, this.position, this.options.rules);
  }

  // The same for an address of this page, which states everything; says what cannot be shown of it.
  openAddress(hash) {
    const pasted = new Address(...readAddress(hash));
    const position = this.readPosition(pasted);
    if (pasted.complaints.length) return pasted.complaints.join(" ");
    this.open(position);
    return "";
  }

  fieldsChanged() {
    const { largest } = this.options;
    const whole = (input, least, most, before) => {
      const value = Math.round(Number(input.value));
      return input.value !== "" && value >= least && value <= most ? value : before;
    };
    const { position } = this;
    const sized = resize(position, whole(this.rows, 1, largest, position.rows), whole(this.cols, 1, largest, position.cols));
    this.change({
      ...sized,
      mines: whole(this.mines, 0, sized.rows * sized.cols, sized.mines),
      ...chosenRules(this.ruleInputs),
      noise: this.noise.spec,
    });
  }

  // The rules of a position that states none.
  get usual() {
    return { ...this.options.defaults, ...NO_GAME };
  }

  // Show the position in the fields, on the board and in the address, and have it solved.
  show() {
    const { position } = this;
    const { rows, cols } = position;
    if (this.board?.rows !== rows || this.board?.cols !== cols) this.makeBoard();
    this.rows.value = rows;
    this.cols.value = cols;
    this.mines.value = position.mines;
    this.mines.max = rows * cols;
    for (const [name, input] of Object.entries(this.ruleInputs)) input.value = position[name];
    if (this.noise.spec !== position.noise) this.noise.set(position.noise);
    const sizes = Object.entries(this.options.presets);
    const [preset] = sizes.find(([, size]) => size.rows === rows && size.cols === cols && size.mines === position.mines) ?? ["custom"];
    this.size.value = preset;
    this.undoButton.disabled = !this.past.length;
    this.redoButton.disabled = !this.future.length;
    this.boardNote.textContent = position.layout ? "The mines of this board are known: a click opens a cell as in a game." : "";
    this.address.replace(positionValues(position, chosenRules(this.ruleInputs), this.usual));
    this.solution = null;
    this.odds = null;
    this.advice = null;
    this.turn = null;
    this.proofs.clear();
    this.element.classList.add("busy");
    this.draw();
    clearTimeout(this.timer);
    if (this.took <= QUICK_SOLVE) this.solve();
    else this.timer = setTimeout(() => this.solve(), this.took === undefined ? 0 : PAUSE);
  }

  makeBoard() {
    const { rows, cols } = this.position;
    this.board = new Board({
      rows,
      cols,
      label: `Position, ${rows} rows, ${cols} columns`,
      act: (action, cell) => this.act(action, cell),
      inspect: (cell) => this.inspect(cell),
      key: (event, cell) => this.cellKey(event, cell),
    });
    this.frame.replaceChildren(this.board.element);
    this.board.fit();
  }

  async act(action, cell) {
    const { brush } = this;
    const engine = this.position.layout ? await loadEngine().catch((error) => this.showError(error)) : null;
    const { position } = this;
    if (engine === undefined || this.closed) return;
    if (action === "flag") this.change(toggleFlag(position, cell));
    else if (action === "open" && brush) this.change(setMark(position, cell, position.shown[cell] === brush ? "." : brush));
    else if (action === "open") this.change(toggleOpen(position, cell, engine));
  }

  // Whether the key on a cell was one of the editor's.
  cellKey(event, cell) {
    const mark = markOfKey(event.key);
    if (mark === null && event.key !== "+" && event.key !== "-") return false;
    if (mark === null) this.change(changeClue(this.position, cell, event.key === "+" ? 1 : -1));
    else this.change(mark === "F" ? toggleFlag(this.position, cell) : setMark(this.position, cell, mark));
    return true;
  }

  pageKey(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    if (event.target.closest?.("input, textarea, select")) return;
    const key = event.key.toLowerCase();
    if (key === "z" && !event.shiftKey) this.undo();
    else if (key === "y" || (key === "z" && event.shiftKey)) this.redo();
    else return;
    event.preventDefault();
  }

  // The body of a request about the position.
  body(more = {}) {
    const { layout: _layout, ...position } = this.position;
    return { ...position, ...more };
  }

  // Ask an agent of the server about the position; undefined if the position has changed meanwhile.
  async ask(path, more) {
    const { position } = this;
    try {
      const answer = await request(`api/positions/${path}`, this.body(more));
      return position === this.position && !this.closed ? answer : undefined;
    } catch (error) {
      if (position === this.position && !this.closed) this.showError(error);
      return undefined;
    }
  }

  showError({ message, isTemporary }) {
    this.status.className = "status error";
    const again = isTemporary ? [" ", h("button", { type: "button", class: "small-button", onclick: () => this.show() }, "Try again")] : [];
    this.status.replaceChildren(`${message[0].toUpperCase()}${message.slice(1)}`, ...again);
    this.element.classList.remove("busy");
  }

  async solve() {
    const { position } = this;
    try {
      this.engine = await engineFor(position.noise);
      if (position !== this.position || this.closed) return;
      const begun = performance.now();
      this.solution = solvePosition(this.engine, position);
      this.took = performance.now() - begun;
    } catch (error) {
      if (position === this.position && !this.closed) this.showError(error);
      return;
    }
    const { solution } = this;
    this.odds = { percent: solution.percent, ...frontierOf(position, solution.percent) };
    this.element.classList.remove("busy");
    this.draw();
    this.inspect(this.inspected);
    if (solution.contradiction) return;
    if (isSite) {
      this.fetchHint();
      return;
    }
    // Other agents need a server, and more time than the engine: not at every key.
    await new Promise((wake) => setTimeout(wake, PAUSE));
    if (position !== this.position || this.closed) return;
    this.fetchHint();
    const advice = await this.ask("advise");
    if (!advice) return;
    this.advice = advice;
    this.draw();
  }

  async fetchHint() {
    this.turn = null;
    const agent = this.agent.value;
    if (!agent) {
      this.draw();
      return;
    }
    const isHere = agent === this.options.in_page;
    const turn = isHere ? exactTurn(this.engine, this.position) : await this.ask("turn", { agent });
    if (!turn || agent !== this.agent.value) return;
    this.turn = turn;
    this.draw();
  }

  // The pointer or the focus has moved to a cell, or away (null): find out why the cell is certain.
  inspect(cell) {
    this.inspected = cell;
    const { solution, position, proofs } = this;
    if (cell !== null && solution && !solution.contradiction && !proofs.has(cell)) {
      if (solution.first_click_safe && position.shown[cell] === ".") proofs.set(cell, { text: firstClickText(position, cell), clues: [] });
      else if (solution.safe.includes(cell) || solution.mines.includes(cell)) proofs.set(cell, proveCell(this.engine, position, solution, cell));
    }
    this.drawProof();
  }

  // The results point at a cell; with `focus` it gets the focus.
  point(cell, focus = false) {
    this.pointed = cell;
    this.drawBoard();
    if (focus) this.board.focus(cell);
  }

  draw() {
    this.drawBoard();
    const { solution, position } = this;
    if (!solution) return; // the results of the position before stay until those of the new one are there
    this.status.className = solution.contradiction ? "status error" : "status";
    this.status.textContent = summary(solution, position);
    this.layouts.textContent = solution.layouts ? `${solution.layouts[0].toUpperCase()}${solution.layouts.slice(1)}.` : "";
    const point = (cell, focus) => this.point(cell, focus);
    const parts = [h("h2", {}, "Best cell")];
    if (solution.contradiction) parts.push(h("p", { class: "muted" }, "There is no best cell: no board agrees with this position."));
    else parts.push(exactAdvice(solution, this.odds.percent, position.cols, point), championAdvice(this.advice, position.cols, point));
    if (this.turn) {
      const mark = this.turn.open.length ? [h("b", { class: `reason-mark ${this.turn.why}` }, `${REASON_MARKS[this.turn.why]} ${REASON_WORDS[this.turn.why]}`), " "] : [];
      parts.push(h("p", {}, ...mark, this.hintSentence()));
    }
    this.results.replaceChildren(...parts.flat().filter(Boolean));
  }

  // What the agent would do; here nobody clicks it.
  hintSentence() {
    const { safe, mines } = this.solution;
    const certain = this.solution.first_click_safe ? undefined : { safe, mines };
    const text = hintText({ ...this.turn, certain, flags: undefined }, this.agent.value);
    return text.replace(/: click (it|them|to flag)\.|\. Click (it|them)\./g, ".");
  }

  drawProof() {
    this.drawBoard();
    this.drawCellInfo();
  }

  drawBoard() {
    const { position, solution, odds } = this;
    const proof = this.proofs.get(this.inspected);
    const isGuess = solution && !solution.contradiction && !solution.safe.length && !solution.first_click_safe;
    const best = new Set(isGuess && solution.best !== null ? [solution.best] : []);
    this.board.draw({
      ...position,
      layout: undefined,
      hint: asHint(this.turn), // without what is certain: the heat map shows it
      odds: odds?.percent,
      frontier: odds?.frontier,
      background: odds?.background,
      proves: new Set(proof?.clues ?? []),
      contradicts: new Set(solution?.contradiction?.cells ?? []),
      best,
      advised: new Set(isGuess ? (this.advice?.open ?? []) : []),
      pointed: this.pointed,
    });
    if (this.inspected === null) this.drawCellInfo();
  }

  drawCellInfo() {
    const { inspected: cell, odds, position } = this;
    if (cell === null) {
      const background = odds?.background;
      this.cellInfo.textContent = background === undefined ? "\u00a0" : backgroundText(background);
      return;
    }
    const chance = odds?.percent[cell];
    const proof = this.proofs.get(cell);
    const name = `${cellName(cell, position.cols)}`;
    if (proof) this.cellInfo.textContent = `${proof.text[0].toUpperCase()}${proof.text.slice(1)}.`;
    else this.cellInfo.textContent = chance === null || chance === undefined ? name : `${name}: a mine with ${percent(chance)}`;
  }
}

function help() {
  const signs = [
    ["covered heat sample-best", "12", "the best cell by exact: the number is its mine probability in percent"],
    ["covered heat sample-advised", "12", "what champion opens"],
    ["open c2 proves", "2", "a clue that proves the cell you point at"],
    ["open c3 contradicts", "3", "part of a contradiction"],
  ];
  return h(
    "details",
    { class: "legend" },
    h("summary", {}, "How to edit, and what the signs mean"),
    h("ul", {}, signs.map(([name, mark, text]) => h("li", {}, h("span", { class: `cell sample ${name}` }, mark), text))),
    h(
      "p",
      { class: "small muted" },
      "Click opens or covers a cell, right click or long press flags it. Choose another brush to " +
        "set what you like. Keys: arrows, 0 to 8, ? withheld, F flag, * a mine that went off, Backspace covers, + and − change a " +
        "clue, Ctrl+Z and Ctrl+Y. A text or an address can be pasted anywhere on the page.",
    ),
  );
}
