// The boards that decide between two agents, under one condition or under several together.

const MAX_LISTED = 50; // boards for each agent, as the server lists them for one condition

// `parts` are [label of a condition, answer of the server]; the result has the form of an answer, but each board begins
// with the label of its condition. The boards with the largest lead come first.
export function joinDecisive(parts) {
  const sum = (key) => parts.reduce((total, [, found]) => total + found[key], 0);
  const boards = (side) =>
    parts
      .flatMap(([label, found]) => found[side].map((board) => [label, ...board]))
      .sort((a, b) => Math.abs(b[2] - b[3]) - Math.abs(a[2] - a[3]))
      .slice(0, MAX_LISTED);
  return { better: sum("better"), worse: sum("worse"), won: boards("won"), lost: boards("lost") };
}
