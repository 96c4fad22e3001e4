// The entry of the pages #/play, #/watch and #/leaderboard, each with its own ?params.

import { h } from "./dom.js";
import { leaderboard } from "./leaderboard.js";
import { play } from "./play.js";
import { isSite, fetchRun } from "./api.js";
import { watch } from "./watch.js";

const PAGES = isSite
  ? { leaderboard: ["Leaderboard", leaderboard], watch: ["Watch", watch] }
  : { play: ["Play", play], watch: ["Watch", watch], leaderboard: ["Leaderboard", leaderboard] };

const page = document.getElementById("page");
const nav = document.getElementById("nav");
let closePage = () => {};
let isFirst = true;

// The page and the parameters in the address.
function readAddress() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return [path, new URLSearchParams(query)];
}

async function show() {
  closePage();
  closePage = () => {};
  let [name, params] = readAddress();
  if (!PAGES[name]) {
    const run = await fetchRun().catch(() => null);
    name = run?.leaderboard ? "leaderboard" : Object.keys(PAGES)[0];
  }
  const [title, make] = PAGES[name];
  nav.replaceChildren(
    ...Object.entries(PAGES).map(([key, [label]]) =>
      h("a", { href: `#/${key}`, "aria-current": key === name ? "page" : null }, label),
    ),
  );
  document.title = `${title} · sweepstakes`;
  page.className = name;
  const container = h("div", { class: "page-content" }, h("p", { class: "notice", role: "status" }, "Loading …"));
  page.replaceChildren(container);
  try {
    const close = (await make(container, params)) ?? (() => {});
    if (container.isConnected) closePage = close;
    else close();
  } catch (error) {
    container.replaceChildren(h("p", { class: "notice", role: "alert" }, error.message));
  }
  if (!isFirst) page.focus({ preventScroll: true });
  isFirst = false;
}

document.getElementById("skip").addEventListener("click", () => page.focus());
addEventListener("hashchange", show);
show();
