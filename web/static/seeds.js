// The seeds of boards, as `sweepstakes.game.rng.derive` makes them: the first 64 bits of SHA-256.

const K = constants();

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
function constants() {
  const primes = [];
  for (let n = 2; primes.length < 64; n += 1) if (primes.every((prime) => n % prime)) primes.push(n);
  return primes.map((prime) => ((Math.cbrt(prime) % 1) * 2 ** 32) >>> 0);
}

const START = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
const turned = (word, by) => (word >>> by) | (word << (32 - by));

// SHA-256 of some bytes, as eight words.
export function sha256(bytes) {
  const length = Math.ceil((bytes.length + 9) / 64) * 64;
  const padded = new Uint8Array(length);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  new DataView(padded.buffer).setUint32(length - 4, 8 * bytes.length);
  const state = [...START];
  const words = new Uint32Array(64);
  for (let at = 0; at < length; at += 64) {
    const block = new DataView(padded.buffer, at, 64);
    for (let i = 0; i < 16; i += 1) words[i] = block.getUint32(4 * i);
    for (let i = 16; i < 64; i += 1) {
      const a = words[i - 15];
      const b = words[i - 2];
      words[i] = words[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ (a >>> 3)) + words[i - 7] + (turned(b, 17) ^ turned(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i += 1) {
      const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + words[i]) >>> 0;
      const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) >>> 0;
      [a, b, c, d, e, f, g, h] = [(one + two) >>> 0, a, b, c, (d + one) >>> 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => {
      state[i] = (state[i] + word) >>> 0;
    });
  }
  return state;
}

// A 64-bit seed from a purpose and further parts.
export function derive(...parts) {
  const [high, low] = sha256(new TextEncoder().encode(parts.join("\u001f")));
  return (BigInt(high) << 32n) | BigInt(low);
}

// The seeds of board `number` of a tournament, as `board_seed` and the referee make them.
export function boardSeeds({ seed, source = "uniform", rows, cols, mines, number }) {
  const board = derive("board", seed, source, rows, cols, mines, number);
  return { board, noise: derive("noise", board) };
}
