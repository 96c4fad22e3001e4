// What one cell looks like: a class, a text, a tag and words for those who cannot see it.

import { TAGS, percent, place } from "./words.js";

const SAFE_HUE = 145;
const WORDS = { ".": "covered", F: "flagged", "*": "a mine that went off", "?": "open, its clue withheld" };

// `scene` is {rows, cols, shown, layout, hint, odds, proves, fresh}; layout only when the mines may be seen.
export function face(scene, i) {
  const mark = scene.shown[i];
  const mine = scene.layout ? scene.layout[i] === "*" : null;
  const classes = ["cell"];
  let text = "";
  let tag = "";
  let hue = null;
  let words = WORDS[mark] ?? (mark === "0" ? "blank" : mark);
  if (mark === "." || mark === "F") {
    classes.push("covered");
    if (mark === "F") classes.push("flag");
    if (mine === true && mark === "F") {
      classes.push("right");
      words = "a right flag";
    } else if (mine === false && mark === "F") {
      classes.push("wrong");
      words = "a wrong flag";
    } else if (mine === true) {
      classes.push("mine");
      words = "a mine";
    }
  } else if (mark === "*") {
    classes.push("boom");
  } else {
    classes.push("open");
    if (mark === "?") text = "?";
    else if (mark !== "0") {
      text = mark;
      classes.push(`c${mark}`);
    }
  }
  const odds = scene.odds?.[i];
  if (odds !== null && odds !== undefined && mine === null && mark !== "*") {
    hue = Math.round(SAFE_HUE * (1 - (odds / 100) ** 0.55)); // a small risk shows early
    classes.push("heat");
    if (mark === ".") text = String(odds === 0 || odds === 100 ? odds : Math.min(99, Math.max(1, Math.round(odds))));
    words += `, a mine with ${percent(odds)}`;
  }
  const hint = scene.hint;
  if (hint?.opens.has(i) && mark === ".") {
    classes.push("hint");
    tag = TAGS[hint.why];
    words += { proof: ", hint: certainly safe", guess: ", hint: the best guess", random: ", hint: random" }[hint.why];
  } else if (hint?.flags.has(i) && mark === ".") {
    classes.push("flag-here");
    words += ", hint: certainly a mine, flag it";
  } else if (hint?.unflags.has(i) && mark === "F") {
    classes.push("flag-off");
    words += hint.wrong.has(i) ? ", the flag cannot be right, hint: take it off" : ", hint: take the flag off";
  } else if (hint?.wrong.has(i) && mark === "F") {
    classes.push("flag-off");
    words += ", the flag cannot be right";
  } else if (hint?.together.has(i) && mark === "F") {
    classes.push("flag-doubt");
    words += ", this flag and others cannot all be right";
  }
  if (tag && (!text || tag === "H")) {
    text = tag;
    tag = "";
  }
  if (scene.proves?.has(i)) {
    classes.push("proves");
    words += ", part of the proof";
  }
  if (scene.fresh?.has(i)) classes.push("fresh");
  return { name: classes.join(" "), text, tag, hue, label: `${place(i, scene.cols)}: ${words}` };
}

// A turn as the faces want it.
export function asHint(turn) {
  if (!turn) return null;
  return {
    why: turn.why,
    opens: new Set(turn.open),
    flags: new Set(turn.flag),
    unflags: new Set(turn.unflag),
    wrong: new Set(turn.flags?.wrong),
    together: new Set(turn.flags?.together),
    evidence: turn.evidence ?? {},
  };
}

// Numbers for each cell from run lengths: value, count, value, count, ...
export function expand(runs) {
  const values = [];
  for (let i = 0; i < runs.length; i += 2) for (let n = runs[i + 1]; n > 0; n -= 1) values.push(runs[i]);
  return values;
}
