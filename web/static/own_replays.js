// A person's finished games as replays: one that the browser has kept, or one that was played elsewhere.

import { ApiError } from "./api.js";
import { Game } from "./engine.js";
import { reviewGame } from "./engine_review.js";
import { engineFor, loadEngine } from "./engine_source.js";
import { newGame } from "./local_games.js";
import { readRecording } from "./rawvf.js";
import { savedRequest } from "./saved_games.js";
import { boardSeeds } from "./seeds.js";

const UNIFORM = "uniform";
const EXACT = "exact-clues";
const pause = () => new Promise((wake) => setTimeout(wake));

// {replay, setup, body, turns}: what `Replay` takes, with its review; `body` and `turns` are for playing on.
export async function keptReplay(id, options) {
  const body = savedRequest(id);
  if (!body) throw new ApiError(404, "This browser has not kept the game.");
  const local = await newGame(body, options, id);
  const { saved, ...request } = body;
  const turns = local.turns.map(({ open, flag, unflag }) => ({ open, flag, unflag }));
  const setup = { ...local.setup, layout: local.game.layout };
  const words = saved.turns.split(" ").filter(Boolean);
  return makeReplay(await engineFor(setup.noise), setup, turns, { name: "Your game", number: setup.number, clicks: local.state().clicks, seconds: saved.seconds, body: request, words });
}

// The same for the text of a RAWVF file.
export async function recordedReplay(text, name) {
  const engine = await loadEngine();
  const { rows, cols, mines, layout, events, times, options, head } = readRecording(text);
  const setup = { rows, cols, mines, layout, on_mine: "end", first_click: "any", noise: EXACT, source: UNIFORM };
  const turns = engine.playMouse(new Game(engine, setup, seedsOf(setup)), events, options);
  if (!turns.length) throw new Error("The clicks of this file open and flag nothing.");
  const first = turns.find(({ open }) => open.length)?.open[0];
  const body = { ...setup, source: undefined };
  if (first !== undefined && layout[first] !== "*") setup.first_click = "safe"; // most programs protect the first click
  const words = turns.map(({ open, flag, unflag }) => [["u", unflag], ["f", flag], ["o", open]].map(([letter, cells]) => (cells.length ? letter + cells.join(".") : "")).join(""));
  const seconds = Number(head.time) || times.at(-1);
  const said = { won: true, lost: false, loss: false }[(head.status ?? "").toLowerCase()];
  const made = await makeReplay(engine, setup, turns, { name: head.player || name, number: 0, clicks: turns.length, seconds, body, words });
  const isWrong = said !== undefined && said !== made.replay.result.won;
  if (isWrong) made.replay.note = `The file says that the game was ${said ? "won" : "lost"}, which its clicks do not show.`;
  return made;
}

// Without a seed the clues are exact.
const seedsOf = (setup) => ({ layout: setup.layout, noise: setup.seed === undefined ? 0n : boardSeeds(setup).noise });

async function makeReplay(engine, setup, turns, { name, number, clicks, seconds, body, words }) {
  const { rows, cols, mines, layout } = setup;
  const game = new Game(engine, setup, seedsOf(setup));
  const start = game.shown;
  let before = start;
  const frames = turns.map(({ open, flag, unflag }) => {
    game.take({ open, flag, unflag });
    const after = game.shown;
    const at = [...after].flatMap((mark, cell) => (mark === before[cell] ? [] : [cell]));
    before = after;
    return { open, flag, unflag, why: "guess", probability: null, fallback: false, evidence: {}, at, to: at.map((cell) => after[cell]).join("") };
  });
  if (!game.over) game.take({}); // it was left
  const result = { rows, cols, mines, ...game.result({ clicks, seconds }), fault: "" };
  const judged = setup.source === UNIFORM;
  const review = judged ? await reviewGame(engine, setup, seedsOf(setup), turns, pause) : null;
  const note = judged ? "" : `Boards of “${setup.source}” cannot be judged: only for uniform boards the probability of each layout is known.`;
  return { replay: { rows, cols, mines, agent: name, number, start, turns: frames, layout, result, scores: result.scores, note, review, person: true }, setup, body, words, seconds };
}
