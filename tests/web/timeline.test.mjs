// The timeline goes from turn to turn, by hand, by keys or by itself.

import assert from "node:assert/strict";
import { test } from "node:test";

import { until } from "./fake_document.mjs";

const { speed } = await import("../../web/static/speed.js");
const { Timeline } = await import("../../web/static/timeline.js");

const find = ({ element }, label) => element.querySelectorAll("[aria-label]").find((one) => one.getAttribute("aria-label") === label);

function timeline(length, at = 0) {
  const shown = [];
  const made = new Timeline((turn) => shown.push(turn));
  made.reset(length, at);
  find(made, "Speed").value = "10";
  shown.length = 0;
  return { made, shown, click: (label) => find(made, label).click() };
}

test("the pause gets shorter with every step of the slider, down to none", () => {
  const { element, delay } = speed();
  const slider = find({ element }, "Speed");
  const delays = Array.from({ length: 11 }, (_, k) => {
    slider.value = String(k);
    return delay();
  });
  assert.equal(delays[0], 2000);
  assert.equal(delays[10], 0);
  for (let k = 1; k < 11; k += 1) assert.ok(delays[k] < delays[k - 1]);
  slider.value = "7";
  slider.fire("input");
  assert.equal(slider.attributes["aria-valuetext"], "Speed 7 of 10");
});

test("no step leads beyond the ends", () => {
  const { shown, click } = timeline(2);
  for (const label of ["Back", "Forward", "Forward", "Forward", "To the start", "To the end"]) click(label);
  assert.deepEqual(shown, [0, 1, 2, 2, 0, 2]);
});

test("the slider and the count say where one is", () => {
  const { made } = timeline(5, 3);
  assert.equal(made.slider.max, 5);
  assert.equal(made.turnCount.textContent, "Turn 3 of 5");
  made.slider.value = "4";
  made.slider.fire("input");
  assert.equal(made.at, 4);
  assert.equal(made.slider.attributes["aria-valuetext"], "turn 4 of 5");
});

test("it plays to the end and stops there, and from the end it starts again", async () => {
  const { made, shown } = timeline(3, 1);
  await made.toggle();
  assert.deepEqual(shown, [2, 3]);
  assert.equal(made.playing, false);
  await made.toggle();
  assert.deepEqual(shown, [2, 3, 0, 1, 2, 3]);
});

test("a step by hand stops it", async () => {
  const { made, shown, click } = timeline(100);
  const played = made.toggle();
  assert.equal(made.playButton.title, "Pause");
  click("To the start");
  await played;
  assert.deepEqual(shown, [0]);
  assert.equal(made.playButton.title, "Play");
});

test("the next turn waits until the one before has been shown", async () => {
  const events = [];
  let finish = () => {};
  const made = new Timeline((turn) => {
    events.push(turn);
    return new Promise((done) => (finish = done));
  });
  made.reset(2, 0);
  find(made, "Speed").value = "10";
  events.length = 0;
  const played = made.toggle();
  await until(() => events.length === 1);
  await new Promise((done) => setTimeout(done)); // the pause between two turns is none at this speed
  assert.deepEqual(events, [1]);
  finish();
  await until(() => events.length === 2);
  finish();
  await played;
  assert.deepEqual(events, [1, 2]);
});

test("keys go from turn to turn, unless an element uses them itself", () => {
  const { made, shown } = timeline(5, 2);
  const key = (name, target = document.createElement("main"), properties = {}) => {
    const event = { key: name, target, preventDefault: () => (event.used = true), ...properties };
    made.key(event);
    return Boolean(event.used);
  };
  for (const name of ["ArrowRight", "ArrowLeft", "End", "Home"]) assert.ok(key(name));
  assert.deepEqual(shown, [3, 2, 5, 0]);
  const element = (tag, attributes = {}) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };
  assert.ok(!key("ArrowRight", element("select")));
  assert.ok(!key("ArrowRight", element("div", { role: "grid" })));
  assert.ok(!key("ArrowRight", element("input", { type: "number" })));
  assert.ok(!key("ArrowRight", element("input", { type: "range" })));
  assert.ok(!key(" ", element("button")));
  assert.ok(!key("ArrowRight", undefined, { ctrlKey: true }));
  assert.ok(!key("x"));
  assert.ok(key("ArrowRight", element("button")));
  assert.ok(key(" "));
  assert.ok(made.playing);
  made.stop();
});
