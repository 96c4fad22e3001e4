// The timeline goes from turn to turn, by hand or by itself. Elements are replaced by what the timeline uses of them.

import assert from "node:assert/strict";
import { test } from "node:test";

class Element {
  constructor() {
    this.attributes = {};
    this.children = [];
    this.listeners = {};
  }

  append(...children) {
    this.children.push(...children);
  }

  replaceChildren(...children) {
    this.children = children;
  }

  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }

  addEventListener(name, listener) {
    this.listeners[name] = listener;
  }

  find(label) {
    if (this.attributes["aria-label"] === label) return this;
    return this.children.reduce((found, child) => found ?? child.find?.(label), undefined);
  }
}
globalThis.document = { createElement: () => new Element(), createElementNS: () => new Element() };
const { speed } = await import("../../web/static/speed.js");
const { Timeline } = await import("../../web/static/timeline.js");

function timeline(length, at = 0) {
  const shown = [];
  const made = new Timeline((turn) => shown.push(turn));
  made.reset(length, at);
  made.element.find("Speed").value = "10";
  shown.length = 0;
  return { made, shown, click: (label) => made.element.find(label).listeners.click() };
}

test("the pause gets shorter with every step of the slider, down to none", () => {
  const { element, delay } = speed();
  const slider = element.find("Speed");
  const delays = Array.from({ length: 11 }, (_, k) => {
    slider.value = String(k);
    return delay();
  });
  assert.equal(delays[0], 2000);
  assert.equal(delays[10], 0);
  for (let k = 1; k < 11; k += 1) assert.ok(delays[k] < delays[k - 1]);
  slider.value = "7";
  slider.listeners.input();
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
  made.slider.listeners.input();
  assert.equal(made.at, 4);
  assert.equal(made.slider.attributes["aria-valuetext"], "turn 4 of 5");
});

test("it plays to the end and stops there, and from the end it starts anew", async () => {
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
  const made = new Timeline(async (turn) => {
    events.push(`begin ${turn}`);
    await new Promise((done) => setTimeout(done, 2));
    events.push(`end ${turn}`);
  });
  made.reset(2, 0);
  made.element.find("Speed").value = "10";
  events.length = 0;
  await new Promise((done) => setTimeout(done, 5));
  events.length = 0;
  await made.toggle();
  assert.deepEqual(events, ["begin 1", "end 1", "begin 2", "end 2"]);
});
