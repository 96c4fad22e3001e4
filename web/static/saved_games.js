// The games of this browser, by the address that deals their board; the last one first. Each is kept with all its turns, so
// that it can be played again on a server that no longer has it.

const KEY = "sweepstakes-games";
const TURNS = "sweepstakes-turns-"; // + id: {turns, undone, seconds} of that game
const MAX_GAMES = 20;

// The list, and the text of one game: [] and null if the browser keeps nothing, or something else.
function read() {
  try {
    const saved = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(saved) ? saved.filter((game) => typeof game?.id === "string" && typeof game?.board === "string") : [];
  } catch {
    return [];
  }
}

function write(games) {
  try {
    for (const { id } of read()) if (!games.some((game) => game.id === id)) localStorage.removeItem(TURNS + id);
    localStorage.setItem(KEY, JSON.stringify(games));
  } catch {
    // then the game is found by its address only
  }
}

// Remember a game as the last one. `setup` is the body of the request that deals it again.
export function saveGame(id, board, setup) {
  write([{ id, board, setup }, ...read().filter((game) => game.id !== id)].slice(0, MAX_GAMES));
}

// Remember what has been played of it.
export function saveTurns(id, turns) {
  try {
    localStorage.setItem(TURNS + id, JSON.stringify(turns));
  } catch {
    // the browser is full: the game is lost with the server
  }
}

export function forgetGame(id) {
  write(read().filter((game) => game.id !== id));
}

// The last game, or the last one on a board; undefined if no such game is saved.
export function savedGame(board = null) {
  return read().find((game) => board === null || game.board === board);
}

// The games that the browser has kept and that can be played again, the last one first.
export function listGames() {
  return read().filter(({ id, setup }) => {
    try {
      return setup && JSON.parse(localStorage.getItem(TURNS + id) ?? "{}").turns;
    } catch {
      return false;
    }
  });
}

// The body of the request that plays a game again up to where it was left; null if the browser has not kept it.
export function savedRequest(id) {
  const game = read().find((one) => one.id === id);
  if (!game?.setup) return null;
  try {
    const { turns, undone, seconds } = JSON.parse(localStorage.getItem(TURNS + id) ?? '{"turns":"","undone":0,"seconds":null}');
    return { ...game.setup, saved: { turns, undone, seconds } };
  } catch {
    return null;
  }
}
