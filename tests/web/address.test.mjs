// The state of a page in its address: what is read, what is written, and what cannot be used.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import "./fake_document.mjs";

const { Address, pageLink, readAddress } = await import("../../web/static/address.js");

const address = (hash) => new Address(...readAddress(hash));

beforeEach(() => {
  location.hash = "";
  history.pushed.length = 0;
});

test("an address has the name of a page and its values, and is written as it is read", () => {
  const [name, params] = readAddress("#/watch?condition=5x5+at+0.1&board=3");
  assert.deepEqual([name, params.get("condition"), params.get("board")], ["watch", "5x5 at 0.1", "3"]);
  assert.equal(pageLink("watch", Object.fromEntries(params)), "#/watch?condition=5x5+at+0.1&board=3");
  assert.equal(readAddress("")[0], "");
  assert.equal(pageLink("play", { seed: null, number: undefined, agent: "", rows: 0 }), "#/play?rows=0");
  assert.equal(pageLink("play"), "#/play");
});

test("an address whose values can be used has no notice", () => {
  const read = address("#/watch?board=3&first=basic");
  assert.equal(read.whole("board", 0, 5, 0), 3);
  assert.equal(read.choice("first", ["random", "basic"], "random"), "basic");
  assert.equal(read.choice("second", ["random"], "random"), "random");
  assert.equal(read.text("seed", "x"), "x");
  assert.ok(read.notice().hidden);
});

test("values that cannot be used are named, and the usual ones take their place", () => {
  const read = address("#/watch?condition=6x7/9&board=99&turn=-1&first=nobody&colour=red");
  assert.equal(read.choice("condition", ["6x7/8"], "6x7/8"), "6x7/8");
  assert.equal(read.whole("board", 0, 11, 0), 0);
  assert.equal(read.whole("turn", 0, 11, 2), 2);
  assert.equal(read.choice("first", Array.from("abcdefghi"), "a", "agent"), "a");
  const notice = read.notice();
  assert.ok(!notice.hidden);
  assert.equal(
    notice.textContent,
    "Not all of the address can be shown. There is no condition “6x7/9” here: expected 6x7/8. There is no board “99” here: expected a number " +
      "from 0 to 11. There is no turn “-1” here: expected a number from 0 to 11. There is no agent “nobody” here: expected one of 9, such as " +
      "a; b; c. This page has no “colour”: known are condition, board, turn, first.",
  );
});

test("a later complaint is added to the notice", () => {
  const read = address("#/watch");
  const notice = read.notice();
  read.complain("There is no turn 9: the game has 3 turns.");
  read.drawNotice();
  assert.ok(!notice.hidden);
  assert.match(notice.textContent, /no turn 9/);
});

test("a change makes a step for Back, a replacement does not, and null removes a key", () => {
  const read = address("#/watch?board=3&turn=2");
  read.set({ board: 4, turn: null });
  assert.equal(location.hash, "#/watch?board=4");
  assert.equal(history.pushed.length, 1);
  read.set({ board: 4 });
  assert.equal(history.pushed.length, 1); // nothing has changed
  read.replace({ turn: 7 });
  assert.equal(location.hash, "#/watch?board=4&turn=7");
  assert.equal(history.pushed.length, 1);
});
