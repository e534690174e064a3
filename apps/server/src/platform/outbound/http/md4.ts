const rotated = (value: number, by: number) => (value << by) | (value >>> (32 - by));

const inOrder = Array.from({ length: 16 }, (_, index) => index);
const rounds = [
  {
    mix: (x: number, y: number, z: number) => (x & y) | (~x & z),
    add: 0,
    order: inOrder,
    by: [3, 7, 11, 19],
  },
  {
    mix: (x: number, y: number, z: number) => (x & y) | (x & z) | (y & z),
    add: 0x5a827999,
    order: inOrder.map((index) => ((index & 3) << 2) | (index >> 2)),
    by: [3, 5, 9, 13],
  },
  {
    mix: (x: number, y: number, z: number) => x ^ y ^ z,
    add: 0x6ed9eba1,
    order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
    by: [3, 9, 11, 15],
  },
] as const;

/** MD4 (RFC 1320), which NTLM needs and OpenSSL no longer gives. Protects nothing by itself. */
export function md4(data: Buffer): Buffer {
  const padded = Buffer.alloc((((data.length + 8) >> 6) + 1) << 6);
  data.copy(padded);
  padded[data.length] = 0x80;
  padded.writeBigUInt64LE(BigInt(data.length) * 8n, padded.length - 8);
  let state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let block = 0; block < padded.length; block += 64) {
    let [a = 0, b = 0, c = 0, d = 0] = state;
    for (const { mix, add, order, by } of rounds) {
      for (const [step, word] of order.entries()) {
        const sum = (a + mix(b, c, d) + padded.readUInt32LE(block + word * 4) + add) | 0;
        [a, b, c, d] = [d, rotated(sum, by[step & 3] as number), b, c];
      }
    }
    state = [a, b, c, d].map((value, index) => ((state[index] ?? 0) + value) | 0);
  }
  const digest = Buffer.alloc(16);
  for (const [index, value] of state.entries()) digest.writeInt32LE(value | 0, index * 4);
  return digest;
}
