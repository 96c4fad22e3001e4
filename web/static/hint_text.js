// A hint in sentences that a newcomer to the page understands, and that say whose opinion it is: what the exact engine
// proves is certain, everything else is what the agent believes.

import { asHint } from "./hints.js";
import { REASON_MARKS, count, percent } from "./text.js";

export function hintText(turn, agent) {
  const hint = asHint(turn);
  if (turn.first_click_safe && turn.open.length) {
    return `The first click is safe by the rules. ${agent} would begin with ${cellOf(turn)}. Click it.`;
  }
  const proven = [...hint.opens].filter((cell) => hint.why === "proof" && !turn.unflag.includes(cell) && !hint.claimed.has(cell));
  const marks = {
    safe: new Set([...hint.safe, ...proven]).size,
    mines: [...hint.flags].filter((cell) => !hint.claimed.has(cell)).length,
  };
  const said = certainText(marks);
  const certain = !said || turn.certain ? said : `For ${agent}, ${said}`;
  return [certain, agentText(turn, hint, agent, marks.safe, proven.length)].filter(Boolean).join(" ");
}

// The marks H and the dashed flags.
function certainText({ safe, mines }) {
  const safeText = `${count(safe, "cell")} marked H ${safe === 1 ? "is" : "are"} certainly safe`;
  const mineText = `${count(mines, "cell")} with a dashed flag ${mines === 1 ? "is certainly a mine" : "are certainly mines"}`;
  if (safe && mines) return `${safeText}, ${mineText}. Click them.`;
  if (safe) return `${safeText}: click ${safe === 1 ? "it" : "them"}.`;
  return mines ? `${mineText}: click to flag.` : "";
}

// What the agent would do, as far as the marks H and the dashed flags do not say it. `safe` cells are certainly safe, of
// which the agent knows `proven`.
function agentText(turn, hint, agent, safe, proven) {
  const beneath = turn.open.filter((cell) => turn.unflag.includes(cell));
  if (!turn.open.length) {
    if (!turn.flag.length && !turn.unflag.length) return `${agent} gives up here.`;
    if (turn.unflag.length && !turn.flag.length) return `${agent} takes ${count(turn.unflag.length, "flag")} off.`;
    return claimedText(hint, agent);
  }
  if (turn.why !== "proof") return guessText(turn, agent, safe);
  const parts = [];
  if (beneath.length) {
    const isCertain = beneath.every((cell) => hint.wrong.has(cell));
    const cells = under(beneath.length);
    const said = isCertain ? `${capital(cells)} ${beneath.length === 1 ? "is" : "are"} certainly safe` : `${agent} takes ${cells} for safe`;
    parts.push(`${said}: click to take ${beneath.length === 1 ? "the flag" : "the flags"} off.`);
  }
  if (safe && proven < safe) parts.push(`${agent} has found ${proven ? proven.toLocaleString("en") : "none"} of the safe ones.`);
  parts.push(claimedText(hint, agent));
  return parts.filter(Boolean).join(" ");
}

// What an agent calls certain, and is not.
function claimedText({ claimed, flags, why, opens }, agent) {
  const mines = [...claimed].filter((cell) => flags.has(cell)).length;
  const safe = why === "proof" ? [...claimed].filter((cell) => opens.has(cell)).length : 0;
  const kinds = [safe ? `${count(safe, "cell")} for safe` : "", mines ? `${count(mines, "cell")} for ${mines === 1 ? "a mine" : "mines"}` : ""];
  const said = kinds.filter(Boolean).join(" and ");
  return said ? `${agent} takes ${said}, which is not certain.` : "";
}

function guessText(turn, agent, safe) {
  const { certain, probability, why } = turn;
  const [cell] = turn.open;
  if (certain?.mines.includes(cell)) return `${agent} would open a cell that is certainly a mine.`;
  if (certain?.safe.includes(cell)) return `${agent} has found none of them, but would open one as ${why === "random" ? "a random pick" : "a guess"}.`;
  const lead = safe ? `${agent} has found none of them: it would open` : `${certain ? "No cell is certainly safe" : `For ${agent}, no cell is certainly safe`}. ${agent} would open`;
  const reason = why === "random" ? "picked at random" : guessReason(probability);
  return `${lead} ${cellOf(turn)}, ${reason}.${safe ? "" : " Click it."}`;
}

function guessReason(probability) {
  if (probability === null) return "its best guess";
  if (probability === 0) return "which it takes for safe";
  return `its best guess: a mine with ${percent(100 * probability)}, it says`;
}

// The cell that a turn without a proof opens.
function cellOf(turn) {
  const beneath = turn.open.filter((cell) => turn.unflag.includes(cell)).length;
  return beneath ? under(beneath) : `the cell marked ${REASON_MARKS[turn.why]}`;
}

function under(cells) {
  return cells === 1 ? "the cell under the outlined flag" : `${cells} cells under outlined flags`;
}

function capital(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}`;
}
