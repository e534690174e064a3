import type { Readable } from "node:stream";
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from "node:zlib";

const decoders: Record<string, () => NodeJS.ReadWriteStream & { destroy(): void }> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** Reads a body up to `most` bytes, counted after decompression, and lets go of the rest. */
export async function readBody(
  stream: Readable,
  { encoding, most }: { encoding: string | undefined; most: number },
): Promise<{ body: Buffer; isCut: boolean }> {
  const decoder = decoders[(encoding ?? "").trim().toLowerCase()]?.();
  const source = decoder ? (stream.pipe(decoder as never) as unknown as Readable) : stream;
  // A failure or an abort of what is piped in does not reach the decoder by itself.
  if (decoder) stream.on("error", (error) => source.destroy(error));
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > most) break;
    }
  } finally {
    // Its end is wanted here; what it says about that is not.
    stream.on("error", () => undefined);
    stream.destroy();
  }
  return { body: Buffer.concat(chunks).subarray(0, most), isCut: length > most };
}
