// The texts of the Play page: the clock, the end of a game, and what its clues hid.

import { lastMine } from "./rules.js";
import { count, number, resultText } from "./text.js";

// 83.426 seconds as 1:23.42, as a stopwatch shows it.
export function clock(seconds) {
  const hundredths = Math.floor(100 * (seconds ?? 0) + 1e-6);
  const two = (n) => String(n).padStart(2, "0");
  return `${Math.floor(hundredths / 6000)}:${two(Math.floor(hundredths / 100) % 60)}.${two(hundredths % 100)}`;
}

// The end of a game for the title of the window: the mines that are known for certain, where play goes on after a mine.
export function endTitle({ rules, result, mines }) {
  if (!lastMine(rules)) return `${result.right_flags}/${count(mines, "mine")} identified`;
  return result.ending;
}

// How the game ended, with time, 3BV and clicks.
export function endText(state) {
  const { result, rules, seconds } = state;
  const time = seconds === null ? "" : `${seconds.toFixed(2)}\u00a0s`;
  const sentences = [];
  if (lastMine(rules)) {
    const safe = state.rows * state.cols - state.mines;
    if (result.won) sentences.push(`Won${time ? ` in ${time}` : ""}.`);
    else if (result.ending === "lost") sentences.push(`Lost${time ? ` after ${time}` : ""}: ${result.opened} of ${count(safe, "safe cell")} open.`);
    else sentences.push(resultText(result, result.scores, rules));
  } else {
    sentences.push(resultText(result, result.scores, rules), time && `${time}.`);
  }
  sentences.push(clickText(state), lieText(state));
  return sentences.filter(Boolean).join(" ");
}

// Clicks against 3BV, the fewest that open the board without opening around clues; and what was not the person's own.
function clickText(state) {
  const { three_bv, clicks, turns, undone, agent, result, with_hints, with_odds } = state;
  const helped = turns - clicks;
  const parts = [three_bv === null ? "" : `3BV ${three_bv}`, count(clicks, "click")];
  const isOwn = !helped && !undone && !with_hints && !with_odds;
  if (isOwn && result.efficiency) parts.push(`efficiency ${number(100 * result.efficiency, 0)}\u00a0%`);
  if (isOwn && result.pace) parts.push(`${number(result.pace, 2)} 3BV/s`);
  const forClicks = (n) => (n === clicks ? "" : ` for ${n.toLocaleString("en")} of them`);
  if (with_hints) parts.push(`hints were on${forClicks(with_hints)}`);
  if (with_odds) parts.push(`probabilities were on${forClicks(with_odds)}`);
  if (helped) parts.push(`${count(helped, "turn")} by ${agent}`);
  if (undone) parts.push(`${count(undone, "turn")} taken back`);
  return `${parts.filter(Boolean).join(", ")}.`;
}

// Which clues lied or were withheld.
function lieText({ lies, shown }) {
  const cells = Object.keys(lies).map(Number);
  const withheld = cells.filter((cell) => shown[cell] === "?").length;
  const lied = cells.length - withheld;
  const parts = [];
  if (lied) parts.push(`${count(lied, "clue")} lied`);
  if (withheld) parts.push(`${count(withheld, "clue")} ${withheld === 1 ? "was" : "were"} withheld`);
  return parts.length ? `${parts.join(" and ")}: the true number is in the corner.` : "";
}
