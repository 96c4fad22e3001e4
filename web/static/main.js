// The pages and the way between them: #/play, #/watch, #/leaderboard, each with its own ?choices.

import { h } from "./dom.js";
import { leaderboard } from "./leaderboard.js";
import { play } from "./play.js";
import { isSite, run } from "./source.js";
import { watch } from "./watch.js";

const PAGES = isSite
  ? { leaderboard: ["Leaderboard", leaderboard], watch: ["Watch", watch] }
  : { play: ["Play", play], watch: ["Watch", watch], leaderboard: ["Leaderboard", leaderboard] };

const page = document.getElementById("page");
const nav = document.getElementById("nav");
let leave = () => {};
let first = true;

function where() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return [path, new URLSearchParams(query)];
}

async function show() {
  leave();
  leave = () => {};
  let [name, choices] = where();
  if (!PAGES[name]) {
    const found = await run().catch(() => null);
    name = found?.leaderboard ? "leaderboard" : Object.keys(PAGES)[0];
  }
  const [title, make] = PAGES[name];
  nav.replaceChildren(
    ...Object.entries(PAGES).map(([key, [words]]) =>
      h("a", { href: `#/${key}`, "aria-current": key === name ? "page" : null }, words),
    ),
  );
  document.title = `${title} · sweepstakes`;
  page.className = name;
  const room = h("div", { class: "room" }, h("p", { class: "notice", role: "status" }, "Loading …"));
  page.replaceChildren(room);
  try {
    const done = (await make(room, choices)) ?? (() => {});
    if (room.isConnected) leave = done;
    else done();
  } catch (error) {
    room.replaceChildren(h("p", { class: "notice", role: "alert" }, error.message));
  }
  if (!first) page.focus({ preventScroll: true });
  first = false;
}

document.getElementById("skip").addEventListener("click", () => page.focus());
addEventListener("hashchange", show);
show();
