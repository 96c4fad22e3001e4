// How long the Analysis page takes for the answer to a position: node benchmarks/typing.mjs [GAMES]
//
// It plays GAMES Expert games (200 unless given) of `exact` and answers every position on the way as the page does while
// somebody types: probabilities, certain cells and texts, and a contradiction for the same position with a wrong clue. The
// page also draws the board, which is not measured. Run it on an idle machine. The target is 16 ms, a frame of the screen.

import { readFileSync } from "node:fs";

import { Engine, Game } from "../web/static/engine.js";
import { boardSeeds } from "../web/static/seeds.js";
import { solvePosition } from "../web/static/solving.js";

const TARGET = 16;
const WARM_UP = 200; // answers before the measurement
const EXPERT = { rows: 16, cols: 30, mines: 99, on_mine: "end", first_click: "safe", noise: "exact-clues" };

const engine = await Engine.load(readFileSync(new URL("../web/static/engine.wasm", import.meta.url)));
const games = Number(process.argv[2] ?? 200);
const positions = [];
for (let number = 0; number < games; number += 1) {
  const game = new Game(engine, EXPERT, boardSeeds({ ...EXPERT, seed: 1, number }));
  while (!game.over) {
    positions.push({ ...EXPERT, shown: game.shown });
    game.take(engine.exactTurn(positions.at(-1)));
  }
}
const wrong = positions.flatMap((position) => (position.shown.includes("1") ? [{ ...position, shown: position.shown.replace("1", "8") }] : []));

for (const [name, cases] of Object.entries({ positions, "positions with a wrong clue": wrong })) {
  for (const position of cases.slice(0, WARM_UP)) solvePosition(engine, position);
  const times = cases.map((position) => {
    const begun = performance.now();
    solvePosition(engine, position);
    return performance.now() - begun;
  });
  times.sort((a, b) => a - b);
  const at = (share) => `${times[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(2)} ms`;
  const late = times.filter((time) => time > TARGET).length;
  console.log(`${times.length} ${name}: median ${at(0.5)}, 99 % ${at(0.99)}, 99.9 % ${at(0.999)}, longest ${at(1)}, ${late} above ${TARGET} ms`);
}
