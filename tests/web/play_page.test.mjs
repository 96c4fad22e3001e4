// The Play page on a server of its own: what it shows, what its buttons do, and its address.

import assert from "node:assert/strict";
import { test } from "node:test";

import { until } from "./fake_document.mjs";
import { FakeServer, OPTIONS } from "./fake_server.mjs";

const { Address, readAddress } = await import("../../web/static/address.js");
const { endText, endTitle, clock } = await import("../../web/static/play_text.js");
const { play } = await import("../../web/static/play.js");
const { SetupForm, boardAddress, gameBody } = await import("../../web/static/setup.js");

// After cell 0 is open, 1, 4 and 5 are certainly mines, and all other cells are safe.
const HASH = "#/play?rows=2&cols=4&mines=3&seed=7&first_click=any&source=no-guess";

// The page at an address.
async function visit(t, hash = HASH, server = new FakeServer(".*..", "**..")) {
  location.hash = hash;
  const [name, params] = readAddress(hash);
  const container = document.createElement("main");
  const close = await play(container, params, new Address(name, params));
  t.after(close);
  const page = {
    server,
    container,
    close,
    one: (css) => container.querySelector(css),
    text: (css = ".status") => container.querySelector(css).textContent.trim(),
    marks: () => page.one(".board").querySelectorAll(".cell").map((cell) => (cell.classList.contains("flag") ? "F" : cell.classList.contains("covered") ? "." : cell.textContent || "0")).join(""),
    settle: () => until(() => !page.one(".play-page").classList.contains("busy")),
    cell: (index) => page.one(".board").querySelectorAll(".cell")[index],
    click: async (index) => {
      page.cell(index).click(1);
      await page.settle();
    },
    press: async (label) => {
      container.querySelectorAll("button").find((button) => button.textContent === label).click();
      await page.settle();
    },
    check: async (label) => {
      container.querySelectorAll(".check").find((box) => box.textContent === label).querySelector("input").click();
      await page.settle();
    },
  }; // prettier-ignore
  await page.settle();
  return page;
}

async function fresh(t, ...more) {
  localStorage.clear();
  localStorage.setItem("sweepstakes-hints", "yes"); // they are off at first
  return visit(t, ...more);
}

test("a visitor finds no hints, and switches them on", async (t) => {
  localStorage.clear();
  const page = await visit(t);
  assert.equal(page.text(), "Open a cell, or let exact do it.");
  await page.press("Hint");
  assert.match(page.text(), /^CG guess No cell is certainly safe/);
  await page.press("⚑ Flag");
  await page.click(1);
  assert.equal(page.marks(), ".F......");
});

test("a visitor with hints finds one, and a button that plays to the end", async (t) => {
  const page = await fresh(t);
  assert.match(page.text(), /^CG guess No cell is certainly safe\. exact would open the cell marked CG/);
  assert.equal(page.one(".status").getAttribute("aria-live"), "polite");
  while (!page.one(".status.end")) await page.press("Do it for me");
  assert.match(page.text(), /^Won in \d+\.\d\d\u00a0s\. 3BV 2, 0 clicks, 2 turns by exact\./);
  assert.equal(page.one(".three-bv").textContent, "2");
  assert.equal(document.title, "won · Play · sweepstakes");
  assert.deepEqual(page.one(".new-game").querySelectorAll("button").map((button) => button.textContent), ["New game", "Same board"]);
  assert.equal(page.one(".board").querySelectorAll(".flag").length, 3);
  assert.equal(page.one(".board .hint, .board .flag-hint, .board .safe-hint"), null);
});

test("autoplay plays to the end", async (t) => {
  const page = await fresh(t);
  page.one("input[type=range]").value = "10";
  await page.press("Autoplay");
  await until(() => page.one(".status.end"));
  await until(() => page.container.querySelectorAll("button").some((button) => button.textContent === "Autoplay"));
});

test("an agent that gives up leaves the game to the person", async (t) => {
  const page = await fresh(t, `${HASH}&agent=quits`);
  for (const button of ["Do it for me", "Autoplay"]) {
    await page.press(button);
    assert.equal(page.text(), "quits gives up here.");
    await until(() => page.container.querySelectorAll("button").some((each) => each.textContent === "Autoplay"));
  }
  assert.equal(page.one(".status.end"), null);
});

test("undo takes back what was done", async (t) => {
  const page = await fresh(t);
  await page.click(0);
  assert.equal(page.marks(), "3.......");
  await page.press("Undo");
  assert.equal(page.marks(), "........");
});

test("another adviser keeps the game, and is in the address", async (t) => {
  const page = await fresh(t);
  await page.click(0);
  page.one("select[name=agent]").choose("quits");
  await page.settle();
  assert.equal(page.marks(), "3.......");
  assert.match(location.hash, /agent=quits/);
  assert.equal(page.text(".agent-summary"), "Gives up.");
});

test("with hints off a left click opens also where a dashed flag was", async (t) => {
  const page = await fresh(t);
  await page.click(0);
  assert.match(page.cell(1).className, /flag-hint/);
  await page.check("Show hints");
  assert.doesNotMatch(page.cell(1).className, /flag-hint/);
  await page.click(1);
  assert.match(page.text(), /^Lost after/);
});

test("while clicks set flags, a left click sets and lifts one", async (t) => {
  const page = await fresh(t);
  await page.check("Clicks set flags");
  await page.click(2);
  assert.equal(page.marks(), "..F.....");
  await page.click(2);
  assert.equal(page.marks(), "........");
});

test("probabilities are shown on demand, and one number for the cells away from the clues", async (t) => {
  const page = await fresh(t);
  assert.equal(page.one(".board .heat"), null);
  await page.check("Show mine probabilities");
  assert.equal(page.text(".cell-info"), "Each cell away from the clues is a mine with probability 38\u00a0%.");
  assert.match(page.cell(3).getAttribute("aria-label"), /not next to a clue/);
  await page.click(0);
  assert.match(page.cell(2).getAttribute("aria-label"), /a mine with 0\u00a0%, hint H: certainly safe$/);
  page.cell(4).fire("pointerover");
  assert.equal(page.text(".cell-info"), "row 1, column 0: a mine with 100\u00a0%; proved by 1 outlined clue");
});

test("a first click that is safe by the rules is said to be", async (t) => {
  const page = await fresh(t, HASH.replace("any", "safe"));
  await page.check("Show mine probabilities");
  assert.equal(page.text(".cell-info"), "The first click is safe by the rules, on any cell.");
});

test("the clues that prove the cell under the pointer are outlined", async (t) => {
  const page = await fresh(t);
  await page.click(0);
  page.cell(2).fire("pointerover");
  assert.match(page.cell(0).className, /proves/);
  assert.equal(page.text(".cell-info"), "row 0, column 2; proved by 1 outlined clue");
  page.one(".board").fire("pointerleave");
  assert.doesNotMatch(page.cell(0).className, /proves/);
});

test("a flag that cannot be right is named, and a click takes it off", async (t) => {
  const page = await fresh(t);
  await page.click(0);
  page.cell(2).fire("contextmenu");
  await page.settle();
  assert.equal(page.text(".flag-warning"), "The flag at row 0, column 2 cannot be right.");
  assert.match(page.cell(2).className, /unflag-hint/);
  await page.click(2);
  assert.equal(page.marks(), "3.......");
  assert.equal(page.one(".flag-warning"), null);
});

test("a game that cannot be is answered on the page, and the next click clears it", async (t) => {
  const page = await fresh(t);
  page.one("select[name=preset]").choose("custom");
  page.one("input[name=amount]").value = "999";
  page.one("form").reportValidity = () => true;
  page.one("form").fire("submit");
  await page.settle();
  assert.equal(page.text(".error"), "999 mines on 2 x 4: expected at most 8");
  assert.ok(!page.one(".error").hidden);
  await page.click(0);
  assert.ok(page.one(".error").hidden);
});

test("a size that is given in numbers is shown by its name", async (t) => {
  const page = await fresh(t, "#/play?rows=9&cols=9&mines=10&seed=3&number=0");
  assert.equal(page.one("select[name=preset]").value, "beginner");
  assert.ok(page.one(".custom-size").hidden);
});

test("a hint that could not be fetched can be fetched again", async (t) => {
  const page = await fresh(t, HASH);
  const { fetch } = globalThis;
  globalThis.fetch = async () => {
    throw new TypeError("no connection");
  };
  page.one("select[name=agent]").choose("quits");
  await until(() => !page.one(".error").hidden);
  assert.equal(page.text(".error"), "The server does not answer. Is it still running? Try again");
  globalThis.fetch = fetch;
  page.one(".error button").click();
  await until(() => page.text() === "quits gives up here.");
  assert.ok(page.one(".error").hidden);
});

test("letters on the board switch hints and probabilities, take a turn and take it back", async (t) => {
  const page = await fresh(t);
  const key = async (name, from = page.cell(0)) => {
    from.fire("keydown", { key: name });
    await page.settle();
  };
  await key("n", page.one(".setup button"));
  assert.equal(page.marks(), "........");
  await key("n");
  assert.equal(page.marks(), "3.......");
  await key("u");
  assert.equal(page.marks(), "........");
  await key("p");
  assert.ok(page.one(".board .heat"));
  await key("h");
  assert.equal(page.one(".board .hint"), null);
  await key("F2", page.one(".setup button"));
  assert.doesNotMatch(location.hash, /seed=7&/); // another board
});

test("a game survives a reload, and a new one is on another board, with a step for Back", async (t) => {
  const page = await fresh(t);
  await page.click(0);
  const link = location.hash;
  page.close();
  const again = await visit(t, link, page.server);
  assert.equal(again.marks(), "3.......");
  again.close();
  const last = await visit(t, "#/play", page.server); // the last game
  assert.equal(last.marks(), "3.......");
  assert.equal(location.hash, link);
  last.one("form").reportValidity = () => true;
  last.one("form").fire("submit");
  await last.settle();
  assert.match(last.marks(), /^\.+$/);
  assert.notEqual(location.hash, link);
  assert.equal(history.pushed.at(-1), link);
  last.close();
  assert.equal((await visit(t, link, page.server)).marks(), "3.......");
});

test("a game that cannot be played again says so, and a new one begins", async (t) => {
  const page = await fresh(t);
  await page.click(0);
  page.close();
  const [{ id }] = JSON.parse(localStorage.getItem("sweepstakes-games"));
  localStorage.setItem(`sweepstakes-turns-${id}`, JSON.stringify({ turns: "nonsense", undone: 0, seconds: null }));
  const again = await visit(t, "#/play", page.server);
  assert.match(again.text(), /Your last game cannot be played again \(“nonsense” is not a turn of this game\): this is a new one\./);
  assert.match(again.marks(), /^\.+$/);
});

test("the choice of hints survives a visit", async (t) => {
  const page = await fresh(t);
  await page.check("Show hints");
  page.close();
  const again = await visit(t, HASH, page.server);
  assert.equal(again.one(".check input").checked, false);
  assert.equal(again.text(), "Open a cell, or let exact do it.");
});

test("a position opens in the analysis without its mines", async (t) => {
  const page = await fresh(t);
  await page.click(0);
  const [name, params] = readAddress(page.one("a.button").href);
  assert.deepEqual([name, Object.fromEntries(params)], ["analysis", { rows: "2", cols: "4", mines: "3", cells: "dC7", on_mine: "end", first_click: "any" }]);
});

const form = (hash) => {
  const address = new Address(...readAddress(hash));
  return [new SetupForm(OPTIONS, address, () => {}, () => {}), address];
};

test("values of an address that cannot be are named", () => {
  const [, address] = form("#/play?preset=hard&noise=fog&agent=nobody&seat=4&rows=0&seed=x");
  const notice = address.notice();
  assert.ok(!notice.hidden);
  for (const words of ["preset “hard”", "noise “fog”", "agent “nobody”", "no “seat”", "rows “0”", "seed “x”"]) assert.ok(notice.textContent.includes(words), words);
  assert.ok(form("#/play?preset=beginner&noise=hidden(rate=0.25)")[1].notice().hidden);
  assert.ok(!form("#/play?agent=gone")[1].notice().hidden); // an agent that cannot be asked
});

test("the form asks for the board of its address, and a seed is not rounded", () => {
  const seed = String(2n ** 128n - 1n);
  const asked = form(`#/play?rows=6&cols=7&mines=5&seed=${seed}&number=3&on_mine=continue&first_click=safe&noise=hidden(rate=0.25)&flood=no&start=4`)[0];
  const body = { rows: 6, cols: 7, mines: 5, on_mine: "continue", first_click: "safe", source: "uniform", noise: "hidden(rate=0.25)", agent: "exact", flood: false, start: 4 };
  assert.deepEqual(asked.thisBoard(), { ...body, seed, number: 3 });
  assert.deepEqual(asked.newGame(), body);
  assert.equal(form("#/play?seed=4")[0].thisBoard().seed, 4);
  asked.unit.value = "density";
  asked.amount.value = "20";
  assert.equal(asked.newGame().density, 0.2);
});

test("the address of a game deals its board again, and leaves out what is usual", () => {
  const rules = { on_mine: "end", first_click: "opening", flood: true, start: null };
  const state = { rows: 9, cols: 9, mines: 10, rules, source: "uniform", noise: "exact-clues", seed: 5, number: 0, agent: "exact" };
  const given = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
  assert.deepEqual(given(boardAddress(state, OPTIONS)), { preset: "beginner", seed: "5" });
  const other = { ...state, mines: 11, number: 3, rules: { on_mine: "continue", first_click: "any", flood: false, start: [1, 2] } };
  assert.deepEqual(given(boardAddress(other, OPTIONS)), { rows: 9, cols: 9, mines: 11, seed: "5", on_mine: "continue", first_click: "any", number: 3, start: 11, flood: "no" });
  assert.deepEqual(gameBody(other), { rows: 9, cols: 9, mines: 11, on_mine: "continue", first_click: "any", flood: false, start: 11, source: "uniform", noise: "exact-clues", seed: 5, number: 3, agent: "exact" });
});

test("agents that cannot be asked are listed and cannot be chosen", () => {
  const options = form("#/play")[0].agent.querySelectorAll("option");
  assert.deepEqual(options.map((option) => [option.textContent, option.disabled]), [["exact", false], ["quits", false], ["gone (cannot be asked)", true]]);
});

test("the end of a game is described with clicks, lies and flags", () => {
  const state = { rows: 6, cols: 6, mines: 5, rules: { on_mine: "end" }, result: { won: false, ending: "lost", opened: 12 }, seconds: 20, three_bv: 9, clicks: 4, turns: 6, undone: 1, agent: "exact", lies: { 3: 2, 7: 1 }, shown: "...1...?", with_hints: 0, with_odds: 0 };
  assert.equal(endText(state), "Lost after 20.00\u00a0s: 12 of 31 safe cells open. 3BV 9, 4 clicks, 2 turns by exact, 1 turn taken back. 1 clue lied and 1 clue was withheld: the true number is in the corner.");
  const result = { won: true, ending: "finished", mines: 5, right_flags: 5, wrong_flags: 0, detonated: 0, scores: { identified: 1 } };
  assert.match(endText({ ...state, rules: { on_mine: "continue" }, result }), /^Won\. Score 1\.00: 5 of 5 mines safely identified\. 20\.00\u00a0s\. 3BV/);
});

test("the title of a finished game has its ending, or the mines that are known", () => {
  const state = { mines: 10, rules: { on_mine: "continue" }, result: { right_flags: 8, ending: "finished" } };
  assert.equal(endTitle(state), "8/10 mines identified");
  assert.equal(endTitle({ ...state, rules: { on_mine: "end" }, result: { ending: "lost" } }), "lost");
});

test("the clock has minutes, seconds and hundredths", () => {
  assert.deepEqual([null, 0, 59.9, 83.426, 3600].map(clock), ["0:00.00", "0:00.00", "0:59.90", "1:23.42", "60:00.00"]);
});
