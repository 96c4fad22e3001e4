// Opens a random covered cell, determined by the seed of the game. Run: node random_js.js
let state = 0n;
function random(below) { // SplitMix64
  state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
  let z = state;
  z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return Number((z ^ (z >> 31n)) % BigInt(below));
}
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [word, ...rest] = line.split(" ");
  if (word === "sweepstakes") console.log("ready name=random-js version=1");
  if (word === "game") state = BigInt(rest.find((pair) => pair.startsWith("seed=")).slice(5));
  if (word === "turn") {
    const covered = [];
    for (let i = 0; i < rest[0].length; i++) if (rest[0][i] === ".") covered.push(i);
    console.log(covered.length ? `open ${covered[random(covered.length)]}` : "resign");
  }
  if (word === "quit") process.exit(0);
});
