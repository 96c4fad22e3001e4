// The data of the pages: from the server's API, or from the files of a static site. These are scripts, each of which puts
// its content into `siteFiles`: a page opened from disk can load nothing else. `data.js` is loaded before the pages.

const files = globalThis.siteFiles;
const siteData = files?.data;

export const isSite = siteData !== undefined;
// Whether the page has the engine: a site may have been published without it.
export const hasEngine = !isSite || siteData.options !== undefined;

const loading = new Map(); // of the files of a site, by name

// The content of a file of a static site, which is loaded when it is first needed.
export function siteFile(name) {
  if (name in files) return files[name];
  if (!loading.has(name)) {
    const loaded = new Promise((done, fail) => {
      const script = document.createElement("script");
      script.addEventListener("load", () => done(files[name]));
      script.addEventListener("error", () => {
        loading.delete(name); // so that it can be tried again
        fail(new ApiError(0, `The file static/${name}.js of this site cannot be loaded.`));
      });
      script.src = `static/${name}.js`;
      document.head.append(script);
    });
    loading.set(name, loaded);
  }
  return loading.get(name);
}

// A request that failed: the HTTP status, 0 if there was no response, and the server's message.
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }

  // Whether the same request may succeed later.
  get isTemporary() {
    return this.status === 0 || this.status >= 500;
  }
}

// The JSON of the response; a POST if there is a body. `signal` is that of an AbortController.
export async function request(path, body, signal) {
  if (isSite) throw new ApiError(0, "This page has no server: start sweepstakes serve for that.");
  let response;
  try {
    response = await fetch(
      path,
      body === undefined
        ? { signal }
        : { signal, method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
    );
  } catch {
    throw new ApiError(0, "The server does not answer. Is it still running?");
  }
  const json = await response.json().catch(() => ({ error: "The server's answer cannot be read." }));
  if (!response.ok) throw new ApiError(response.status, json.error ?? "The server rejected the request.");
  return json;
}

// The sizes, rules, noises and agents that the pages offer.
export async function fetchOptions() {
  return isSite ? siteData.options : request("api/options");
}

let cachedRun;

// The overview of the run, fetched once when the run is complete; null if the server was started without a run.
export async function fetchRun() {
  if (cachedRun === undefined) {
    const run = isSite ? siteData.run : await request("api/run");
    if (run !== null && !run.progress.complete) return run;
    cachedRun = run;
  }
  return cachedRun;
}

// What is known of a stored game at once: {agent, seconds, replay}, where `replay` has no reasons yet, or is null if the
// agent has to play the game again.
export async function fetchStoredReplay(condition, agent, number) {
  if (!isSite) return request(`api/run/replay/${condition}/${agent}/${number}/stored`);
  return { replay: null };
}

export async function fetchReplay(condition, agent, number) {
  const key = `${condition}/${agent}/${number}`;
  if (!isSite) return request(`api/run/replay/${key}`);
  const replays = await siteFile(`replays-${condition}`);
  if (!replays[key]) throw new ApiError(404, "This game is not among the replays of this page.");
  return replays[key];
}

// The mine probabilities after `turn` turns of a stored game, on a site without the engine.
export async function fetchReplayOdds(condition, agent, number, turn) {
  const odds = (await fetchReplay(condition, agent, number)).odds?.[turn];
  if (!odds) throw new ApiError(404, "This page does not contain the probabilities of this game.");
  return odds;
}

// The agents' scores on the first boards of a site, by condition: a list of scores for each agent.
export async function fetchAgentScores() {
  return siteFile("scores");
}

// The boards that decide between two agents.
export async function fetchDecisive(condition, first, second) {
  if (!isSite) return request(`api/run/decisive/${condition}/${first}/${second}`);
  return siteData.decisive[`${condition}/${first}/${second}`];
}
