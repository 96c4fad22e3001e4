// The entry: the pages and the navigation. What a page shows is in its address (see address.js).

import { Address, readAddress } from "./address.js";
import { agentPage } from "./agent.js";
import { analysis } from "./analysis.js";
import { fetchRun, hasEngine, isSite } from "./api.js";
import { failure, h } from "./dom.js";
import { leaderboard } from "./leaderboard.js";
import { play } from "./play.js";
import { review, reviewFile } from "./review.js";
import { watch } from "./watch.js";

// By the name in the address: the title, and the function that fills a container with the page. Without the
// engine nobody plays.
const PAGES = {
  ...(hasEngine ? { play: ["Play", play], analysis: ["Analysis", analysis], review: ["Review", review] } : {}),
  watch: ["Watch", watch],
  leaderboard: ["Leaderboard", leaderboard],
  agent: ["Agent", agentPage],
};
const UNLISTED = ["agent"]; // pages that only links lead to

const page = document.getElementById("page");
const nav = document.getElementById("nav");
const lastAddresses = new Map(); // of the pages that were left, for the links to them
let closePage = () => {};
let isFirst = true;

async function show() {
  closePage();
  closePage = () => {};
  const [asked, params] = readAddress(location.hash);
  let name = asked;
  if (!PAGES[name]) {
    const run = await fetchRun().catch(() => null);
    name = run ? "leaderboard" : "play";
  }
  const [title, make] = PAGES[name];
  drawNavigation(name);
  document.title = `${title} · sweepstakes`;
  page.className = name;
  const container = h("div", { class: "page-content" }, h("p", { class: "notice", role: "status" }, "Loading …"));
  const unknown = asked && asked !== name ? h("p", { class: "notice address-notice", role: "alert" }, `There is no page “${asked}”.`) : "";
  page.replaceChildren(unknown, container);
  try {
    const close = (await make(container, params, new Address(name, params))) ?? (() => {});
    if (container.isConnected) closePage = close;
    else close();
  } catch (error) {
    container.replaceChildren(failure(error.message, show));
  }
  if (!isFirst) page.focus({ preventScroll: true });
  isFirst = false;
}

// Links to the pages, to each as it was left.
function drawNavigation(current) {
  const link = ([name, [title]]) => {
    const left = name === current ? undefined : lastAddresses.get(name);
    return h("a", { href: left ?? `#/${name}`, "aria-current": name === current ? "page" : null }, title);
  };
  const listed = Object.entries(PAGES).filter(([name]) => !UNLISTED.includes(name));
  nav.replaceChildren(...(isSite ? listed.reverse() : listed).map(link));
}

// A game that was played elsewhere can be dropped on every page.
if (hasEngine) {
  const file = (event) => [...(event.dataTransfer?.files ?? [])].find(({ name }) => /\.(rawvf|txt)$/i.test(name));
  addEventListener("dragover", (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    if (file(event)) reviewFile(file(event));
  });
}

document.getElementById("skip").addEventListener("click", () => page.focus());
addEventListener("hashchange", (event) => {
  const { hash } = new URL(event.oldURL);
  lastAddresses.set(readAddress(hash)[0], hash);
  show();
});
show();
