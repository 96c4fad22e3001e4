// The games of this browser that the server still has, by the address that deals their board; the last one first.

const KEY = "sweepstakes-games";
const MOST = 20;

function read() {
  try {
    const saved = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(saved) ? saved.filter((game) => typeof game?.id === "string" && typeof game?.board === "string") : [];
  } catch {
    return []; // the browser keeps nothing, or something else
  }
}

// Remember a game as the last one.
export function saveGame(id, board) {
  const saved = [{ id, board }, ...read().filter((game) => game.id !== id)].slice(0, MOST);
  try {
    localStorage.setItem(KEY, JSON.stringify(saved));
  } catch {
    // then the game is found by its address only
  }
}

export function forgetGame(id) {
  try {
    localStorage.setItem(KEY, JSON.stringify(read().filter((game) => game.id !== id)));
  } catch {
    // there was nothing to forget
  }
}

// The last game, or the last one on a board; undefined if there is none.
export function savedGame(board = null) {
  return read().find((game) => board === null || game.board === board);
}
