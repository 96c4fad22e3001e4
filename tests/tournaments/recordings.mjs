// What the page makes of recordings: `test_recordings.py` compares it with the command.

import { readFileSync } from "node:fs";
import { Engine, Game } from "../../web/static/engine.js";
import { reviewGame } from "../../web/static/engine_review.js";
import { readRecording } from "../../web/static/rawvf.js";
const engine = await Engine.load(readFileSync(new URL("../../web/static/engine.wasm", import.meta.url)));
const { files, wrong } = JSON.parse(readFileSync(0, "utf8"));
const games = [];
for (const text of files) {
  const { events, options, ...board } = readRecording(text);
  const setup = { ...board, on_mine: "end", first_click: "any", start: null, flood: true, noise: "exact-clues" };
  const seeds = { layout: board.layout, noise: 0n };
  const turns = engine.playMouse(new Game(engine, setup, seeds), events, options);
  const { clicks, accurate, survived, survivable, luck } = await reviewGame(engine, { ...setup, first_click: "safe" }, seeds, turns);
  const texts = turns.map(({ open, flag, unflag }) => [["o", open], ["f", flag], ["u", unflag]].filter(([, cells]) => cells.length).map(([letter, cells]) => letter + cells.join(",")).join(" "));
  games.push({ turns: texts, times: turns.map(({ event }) => board.times[event]), numbers: [clicks, accurate, survived, survivable, luck] });
}
const errors = wrong.map((text) => {
  try {
    const { events, options, ...setup } = readRecording(text);
    return engine.playMouse(new Game(engine, { ...setup, on_mine: "end", first_click: "any" }, setup), events, options).length ? "" : "nothing";
  } catch (error) {
    return error.message;
  }
});
console.log(JSON.stringify({ games, errors }));
