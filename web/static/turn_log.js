// The turns of a game as the server names them, one word for each, kept in step with the answers of the server.

export class TurnLog {
  // `text` has the words of all turns so far.
  constructor(text = "") {
    this.words = text.split(" ").filter(Boolean);
  }

  // Take in a new state of the game. False if the turns before it are not known: then the server has to be asked.
  follow({ turns, last }) {
    const { words } = this;
    if (turns === words.length + 1) words.push(last);
    else if (turns === words.length - 1) words.pop();
    return turns === words.length && (words.at(-1) ?? "") === last;
  }

  get text() {
    return this.words.join(" ");
  }
}
