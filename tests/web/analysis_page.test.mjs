// The Analysis page: positions from its address, from pasted texts and from the editor, and what is said of them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { until } from "./fake_document.mjs";
import { OPTIONS, engineResponse } from "./fake_server.mjs";

const { Address, readAddress } = await import("../../web/static/address.js");
const { analysis } = await import("../../web/static/analysis.js");
const { championAdvice, exactAdvice, summary } = await import("../../web/static/analysis_results.js");

const UNKNOWN = { safe: [], mines: [], best: 1, percent: [], status: "ok", contradiction: null, layouts: "", first_click_safe: false };
const ADVICE = { open: [2], why: "the best score", won: null, layouts: 8, wins: [], candidates: [], refused: "" };

// The page at an address; `answers` are those of the server, by the last word of the path: a value or a function of the body.
async function visit(t, hash, answers = {}) {
  const requests = [];
  const defaults = { options: OPTIONS, advise: ADVICE };
  globalThis.fetch = async (path, { body } = {}) => {
    const word = path.split("/").at(-1);
    if (word === "engine.wasm") return engineResponse();
    const asked = body && JSON.parse(body);
    requests.push([word, asked]);
    const answer = { ...defaults, ...answers }[word];
    const json = await (typeof answer === "function" ? answer(asked) : answer);
    return { ok: !json.error, status: json.error ? 422 : 200, json: async () => json };
  };
  location.hash = hash;
  const [name, params] = readAddress(hash);
  const container = document.createElement("main");
  t.after(await analysis(container, params, new Address(name, params)));
  const page = {
    requests,
    one: (css) => container.querySelector(css),
    text: (css) => container.querySelector(css).textContent,
    cell: (index) => page.one(".board").querySelectorAll(".cell")[index],
    marks: () => new URLSearchParams(location.hash.split("?")[1]).get("cells"),
    settle: () => until(() => !page.one(".analysis-page").classList.contains("busy") && !page.text(".results").includes("thinking")),
    paste: (text) => page.one(".board").fire("paste", { clipboardData: { getData: () => text } }),
    said: () => page.text(".position-files [role=status]"),
  };
  await page.settle();
  return page;
}

test("an address that is not a position is reported", async (t) => {
  const page = await visit(t, "#/analysis?rows=3&cols=3&cells=C8&layout=zz&noise=fog");
  const notice = page.text(".address-notice");
  for (const words of ["cells of the address are not those of 3 × 3", "layout of the address is not that of 3 × 3", "noise “fog”"]) assert.ok(notice.includes(words), words);
  assert.equal(page.marks(), "C9");
});

test("without a position it is a covered board of beginners", async (t) => {
  const page = await visit(t, "#/analysis");
  assert.equal(location.hash, "#/analysis?rows=9&cols=9&mines=10&cells=C81");
  assert.equal(page.one("select[name=size]").value, "beginner");
});

test("an agent that could not be asked can be asked again", async (t) => {
  let fails = false;
  const advise = () => {
    if (fails) throw new TypeError("no connection");
    return ADVICE;
  };
  const page = await visit(t, "#/analysis?rows=1&cols=3&mines=1&cells=C3", { advise });
  fails = true;
  page.paste("1 3 1\n1..");
  await until(() => page.one(".status.error"));
  assert.equal(page.text(".status.error"), "The server does not answer. Is it still running? Try again");
  fails = false;
  page.one(".status.error button").click();
  await page.settle();
  assert.equal(page.one(".status.error"), null);
});

test("clicks, brushes and keys edit the position, and Undo and Redo go through the changes", async (t) => {
  const page = await visit(t, "#/analysis?rows=2&cols=3&mines=2");
  page.cell(0).fire("contextmenu");
  page.cell(1).click(1);
  assert.equal(page.marks(), "FbC4");
  const brush = page.one(".brushes").querySelectorAll("input").find((input) => input.value === "?");
  brush.fire("change");
  page.cell(5).click(1);
  assert.equal(page.marks(), "FbC3W");
  page.cell(5).click(1); // the same brush again takes it back
  assert.equal(page.marks(), "FbC4");
  page.cell(1).focus();
  for (const key of ["+", "+", "-"]) page.cell(1).fire("keydown", { key });
  assert.equal(page.marks(), "FcC4");
  const control = (key, more = {}) => page.cell(1).fire("keydown", { key, ctrlKey: true, ...more });
  control("z");
  control("z");
  assert.equal(page.marks(), "FcC4");
  control("y");
  assert.equal(page.marks(), "FdC4");
  control("Z", { shiftKey: true });
  assert.equal(page.marks(), "FcC4");
  page.one("input[name=cols]").choose("2");
  assert.equal(page.marks(), "FcC2");
  page.one("input[name=rows]").choose("101"); // too many
  assert.equal(page.marks(), "FcC2");
});

test("an agent's answer to an earlier position is dropped", async (t) => {
  const late = [];
  const advise = ({ shown }) => (shown === "1.." ? new Promise((go) => late.push(() => go({ ...ADVICE, why: "late" }))) : ADVICE);
  const page = await visit(t, "#/analysis?rows=1&cols=3&mines=1", { advise });
  page.cell(0).fire("keydown", { key: "1" });
  await until(() => late.length);
  page.cell(0).fire("keydown", { key: "Backspace" });
  late[0]();
  await page.settle();
  await new Promise((done) => setImmediate(done));
  assert.ok(!page.text(".results").includes("late"));
});

test("a position is solved at once, and many changes in a row ask champion once", async (t) => {
  const page = await visit(t, "#/analysis?rows=1&cols=4&mines=1");
  page.requests.length = 0;
  for (const key of ["1", "0", "1"]) page.cell(0).fire("keydown", { key });
  await until(() => page.text(".status") === "2 cells are certainly safe, 1 cell certainly a mine.");
  await page.settle();
  assert.deepEqual(page.requests.filter(([word]) => word === "advise").map(([, body]) => body.shown), ["1..."]);
  assert.ok(!("layout" in page.requests[0][1]));
});

test("a contradiction is named and outlined, and nobody is asked for advice", async (t) => {
  const page = await visit(t, "#/analysis?rows=2&cols=2&mines=1&cells=bcC2");
  assert.equal(page.text(".status.error"), "These clues cannot all be true: the 1 at (0, 0) and the 2 at (0, 1).");
  assert.deepEqual([0, 1, 2, 3].map((cell) => page.cell(cell).className.includes("contradicts")), [true, true, false, false]);
  assert.ok(page.requests.every(([word]) => word !== "advise"));
});

test("the cell under the pointer is explained", async (t) => {
  const page = await visit(t, "#/analysis?rows=1&cols=4&mines=1&cells=aC3");
  page.cell(1).fire("pointerover");
  assert.equal(page.text(".cell-info"), "(0, 1) is safe because of the 0 at (0, 0).");
  assert.match(page.cell(0).className, /proves/);
  page.cell(3).fire("pointerover");
  assert.equal(page.text(".cell-info"), "row 0, column 3: a mine with 50\u00a0%");
});

test("the best cell and champion's are marked while no cell is safe", async (t) => {
  const page = await visit(t, "#/analysis?rows=1&cols=4&mines=1&cells=C4");
  assert.match(page.cell(0).className, /best/);
  assert.match(page.cell(2).className, /advised/);
  assert.equal(page.text(".results"), "Best cellexact opens (0, 0): a mine with 25\u00a0%, the least of all.champion opens (0, 2): the best score.");
});

test("another agent says what it would do, in the address too", async (t) => {
  const hint = { open: [0], flag: [], unflag: [], why: "guess", probability: 0.25 };
  const page = await visit(t, "#/analysis?rows=1&cols=4&mines=1&cells=C4", { turn: hint });
  page.one("select[name=agent]").choose("quits");
  await until(() => page.text(".results").includes("quits"));
  assert.match(page.text(".results"), /CG guess No cell is certainly safe\. quits would open the cell marked CG, its best guess: a mine with 25\u00a0%, it says\.$/);
  assert.match(location.hash, /agent=quits/);
});

test("a pasted text changes the rules only if it states them, and says so", async (t) => {
  const page = await visit(t, "#/analysis?rows=3&cols=3&mines=1&first_click=safe&noise=hidden(rate%3D0.25)");
  page.paste("2 3 1\n1..\n...\n");
  await until(() => page.marks() === "bC5");
  assert.match(location.hash, /first_click=safe&noise=hidden/);
  await until(() => page.said() === "Read: 2 × 3 with 1 mine.");
  page.paste("2 3 1 on_mine=continue first_click=safe\n1..\n.1.\n");
  await until(() => page.said().endsWith("The rules have changed: play goes on after a mine; clues are exact."));
  assert.match(location.hash, /on_mine=continue/);
  assert.ok(page.requests.every(([word]) => word !== "read"));
});

test("the address of another program is read by the server", async (t) => {
  const page = await visit(t, "#/analysis?rows=3&cols=3&mines=1", { read: { rows: 1, cols: 2, mines: 1, shown: "1." } });
  page.paste("https://example.org/?analysis=abc");
  await until(() => page.marks() === "bC");
  assert.deepEqual(page.requests.find(([word]) => word === "read")[1], { text: "https://example.org/?analysis=abc", mines: 1 });
});

test("a text that is not a position is reported, and the position stays", async (t) => {
  const page = await visit(t, "#/analysis?rows=1&cols=3&mines=1");
  page.paste("..x");
  await until(() => page.said().startsWith("Row 1 of the position has 'x'"));
  assert.ok(page.one(".position-files").open);
  assert.equal(page.marks(), "C3");
});

test("the page reads its own address with its rules, and names what is wrong with it", async (t) => {
  const page = await visit(t, "#/analysis?rows=3&cols=3&mines=1&on_mine=continue");
  page.paste("http://127.0.0.1:8765/#/analysis?rows=4&cols=4&mines=3&cells=bC15");
  assert.equal(location.hash, "#/analysis?rows=4&cols=4&mines=3&cells=bC15");
  page.paste("#/analysis?rows=4&cols=4&mines=3&cells=bC99");
  assert.match(page.said(), /cells of the address are not those of 4 × 4/);
  assert.equal(page.marks(), "bC15");
  assert.ok(page.requests.every(([word]) => word !== "read"));
});

test("a file that is too large is not sent", async (t) => {
  const page = await visit(t, "#/analysis?rows=1&cols=3&mines=1");
  const input = page.one("input[type=file]");
  input.files = [{ name: "huge.mbf", size: 50_000 }];
  input.fire("change");
  await until(() => page.said() === "huge.mbf has 50,000 bytes: expected at most 40,000.");
});

test("what follows from a position is said in a sentence", () => {
  const covered = { shown: "1.." };
  assert.equal(summary({ ...UNKNOWN, safe: [1], mines: [2] }, covered), "1 cell is certainly safe, 1 cell certainly a mine.");
  assert.equal(summary({ ...UNKNOWN, safe: [1, 2] }, covered), "2 cells are certainly safe.");
  assert.equal(summary(UNKNOWN, covered), "No cell is certain.");
  assert.match(summary({ ...UNKNOWN, status: "approximate" }, covered), /probabilities are estimates\.$/);
  assert.equal(summary(UNKNOWN, { shown: "11" }), "No cell is covered: the position is consistent.");
  assert.match(summary({ ...UNKNOWN, first_click_safe: true }, covered), /first click is safe by the rules/);
});

test("advice comes with its reason", () => {
  const text = (parts) => [parts].flat().filter(Boolean).map((part) => part.textContent).join("|");
  assert.equal(text(exactAdvice({ ...UNKNOWN, safe: [1] }, [], 3)), "exact opens (0, 1): certainly safe.");
  assert.equal(text(exactAdvice({ ...UNKNOWN, first_click_safe: true }, [10, 10], 3)), "exact opens (0, 1): any cell is safe.");
  assert.equal(text(championAdvice({ refused: "clues under noise" }, 3)), "champion has no advice: clues under noise.");
  assert.match(text(championAdvice({ ...ADVICE, open: [0, 1, 2, 3, 4], won: 6 }, 3)), /^champion opens \(0, 0\), \(0, 1\), \(0, 2\) and 2 more: .* It wins 6 of 8 layouts, 75\u00a0%\./);
  const wins = Array.from({ length: 14 }, (_, cell) => ({ cell, safe: 0.5, won: 100 - cell }));
  const [, table] = championAdvice({ ...ADVICE, wins }, 5);
  assert.equal(table.querySelectorAll("tbody tr").length, 12);
  assert.match(table.querySelector("caption").textContent, /12 of 14/);
});
