// The choices for a new game: one line for most people, the rest behind "More choices".

import { choice, field, h } from "./dom.js";

const CUSTOM = "custom";

// A form; `begin(wish)` is called with what the server takes. `choices` are those of the page's address.
export function setup(options, choices, begin) {
  const asked = (key, otherwise) => choices.get(key) ?? otherwise;
  const given = choices.has("rows") ? CUSTOM : asked("preset", "beginner");
  const sizes = Object.entries(options.presets).map(([name, size]) => [
    name,
    `${name[0].toUpperCase()}${name.slice(1)} (${size.rows} × ${size.cols}, ${size.mines} mines)`,
  ]);
  const preset = choice({ name: "preset" }, [...sizes, [CUSTOM, "My own size"]], given);
  const most = options.largest;
  const numeric = (name, value, props) => h("input", { type: "number", name, value, inputmode: "numeric", ...props });
  const rows = numeric("rows", asked("rows", "12"), { min: 1, max: most, required: true });
  const cols = numeric("cols", asked("cols", "12"), { min: 1, max: most, required: true });
  const by = choice({ name: "by" }, [["mines", "mines"], ["density", "% of cells"]], "mines");
  const amount = numeric("amount", asked("mines", "20"), { min: 0, required: true });
  const own = h(
    "div",
    { class: "fields own" },
    field("Rows", rows),
    field("Columns", cols),
    field("With", h("span", { class: "joined" }, amount, by)),
  );
  const agent = choice({ name: "agent" }, options.agents.map((a) => [a.name, a.name]), asked("agent", options.agent));
  const about = h("p", { class: "small muted agent-about" });
  const seed = numeric("seed", asked("seed", ""), { min: 0, placeholder: "random" });
  const board = numeric("number", asked("number", "0"), { min: 0 });
  const onMine = choice(
    { name: "on_mine" },
    [["continue", "goes off, play goes on"], ["end", "ends the game"]],
    asked("on_mine", "continue"),
  );
  const click = choice(
    { name: "first_click" },
    [["opening", "always a blank"], ["safe", "never a mine"], ["any", "like any other"]],
    asked("first_click", "opening"),
  );
  const noise = choice(
    { name: "noise" },
    options.noises.map((n) => [n.name, n.name === "exact-clues" ? "exact" : n.name]),
    asked("noise", "exact-clues").split("(")[0],
  );
  const rates = h("span", { class: "fields" });
  const showRates = () => {
    const chosen = options.noises.find((n) => n.name === noise.value);
    const written = asked("noise", "");
    rates.replaceChildren(
      ...Object.entries(chosen?.parameters ?? {}).map(([name, value]) => {
        const before = written.startsWith(`${noise.value}(`) ? written.match(new RegExp(`\\b${name}=([0-9.]+)`)) : null;
        return field(name, numeric(name, before?.[1] ?? value, { step: "any", min: 0, "data-noise": name }));
      }),
    );
  };
  const showOwn = () => {
    own.hidden = preset.value !== CUSTOM;
    about.textContent = options.agents.find((a) => a.name === agent.value)?.summary ?? "";
  };
  const wish = () => {
    const given = [...rates.querySelectorAll("input")].map((input) => `${input.dataset.noise}=${Number(input.value)}`);
    const size =
      preset.value !== CUSTOM
        ? { preset: preset.value }
        : {
            rows: Number(rows.value),
            cols: Number(cols.value),
            ...(by.value === "mines" ? { mines: Number(amount.value) } : { density: Number(amount.value) / 100 }),
          };
    return {
      ...size,
      ...(seed.value === "" ? {} : { seed: Number(seed.value) }),
      number: Number(board.value || 0),
      on_mine: onMine.value,
      first_click: click.value,
      ...(choices.has("start") ? { start: Number(choices.get("start")) } : {}),
      ...(asked("flood", "yes") === "no" ? { flood: false } : {}),
      noise: given.length ? `${noise.value}(${given.join(",")})` : noise.value,
      agent: agent.value,
    };
  };
  const form = h(
    "form",
    {
      class: "setup card",
      "aria-label": "New game",
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault();
        if (form.reportValidity()) begin(wish());
      },
    },
    h(
      "div",
      { class: "fields" },
      field("Board", preset),
      field("Hints from", agent),
      h("button", { class: "quiet", type: "submit" }, "New game"),
    ),
    own,
    h(
      "details",
      { open: choices.has("seed") },
      h("summary", {}, "More choices"),
      about,
      h(
        "div",
        { class: "fields" },
        field("A mine", onMine),
        field("The first click is", click),
        field("Clues", noise),
        rates,
        field("Seed", seed),
        field("Board number", board),
      ),
    ),
  );
  preset.addEventListener("change", () => {
    showOwn();
    if (preset.value !== CUSTOM) begin(wish());
  });
  agent.addEventListener("change", () => {
    showOwn();
    begin(wish());
  });
  noise.addEventListener("change", showRates);
  showOwn();
  showRates();
  return { form, wish };
}
