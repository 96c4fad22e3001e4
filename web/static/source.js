// Where data comes from: the server, or the page itself when it was written as a static site.

const inlined = document.getElementById("data");
const data = inlined ? JSON.parse(inlined.textContent) : null;

export const isSite = data !== null;

export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

export async function call(path, body) {
  let answer;
  try {
    answer = await fetch(
      path,
      body === undefined
        ? {}
        : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
    );
  } catch {
    throw new Refused(0, "The server does not answer. Is it still running?");
  }
  const found = await answer.json().catch(() => ({ error: "The server's answer cannot be read." }));
  if (!answer.ok) throw new Refused(answer.status, found.error ?? "The server refused.");
  return found;
}

let known = null;

export function run() {
  known ??= isSite ? Promise.resolve(data.run) : call("/api/run");
  return known;
}

export async function replay(condition, agent, number) {
  const key = `${condition}/${agent}/${number}`;
  if (!isSite) return call(`/api/run/replay/${key}`);
  if (!data.replays[key]) throw new Refused(404, "This game is not among the replays of this page.");
  return data.replays[key];
}

export async function odds(condition, agent, number, turn) {
  if (!isSite) return call(`/api/run/replay/${condition}/${agent}/${number}/odds/${turn}`);
  const found = data.replays[`${condition}/${agent}/${number}`]?.odds?.[turn];
  if (!found) throw new Refused(404, "The probabilities of this game are not kept here.");
  return found;
}

export async function decisive(condition, first, second) {
  if (!isSite) return call(`/api/run/decisive/${condition}/${first}/${second}`);
  return data.decisive[`${condition}/${first}/${second}`];
}
