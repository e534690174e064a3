import type { Socket } from "node:net";
import { describeNetworkError } from "./network-errors.ts";

interface FrameOptions<Frame> {
  /** Of the other side, for messages. */
  place: string;
  signal: AbortSignal;
  /** Bytes that the other side may send in all. */
  mostReceived: number;
  /** The frame at the beginning of some bytes; undefined while it is not all there. What it throws ends the reading. */
  first(bytes: Buffer): { frame: Frame; size: number } | undefined;
}

export interface Frames<Frame> {
  /** @throws with a message fit for a result: the other side hung up, sent too much, or the time is over */
  next(): Promise<Frame>;
}

/** Cuts what a socket receives into the messages of a protocol, one at a time. */
export function readFrames<Frame>(
  socket: Socket,
  { place, signal, mostReceived, first }: FrameOptions<Frame>,
): Frames<Frame> {
  const chunks: Buffer[] = [];
  let buffered: Buffer = Buffer.alloc(0);
  let received = 0;
  let failure: Error | undefined;
  let wake: (() => void) | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    wake?.();
  };
  socket.on("data", (chunk: Buffer) => {
    received += chunk.length;
    if (received > mostReceived) {
      fail(new Error(`${place} sent more than ${mostReceived} bytes`));
      socket.destroy();
      return;
    }
    chunks.push(chunk);
    wake?.();
  });
  socket.on("error", (error) => fail(describeNetworkError(error, place)));
  socket.on("close", () => fail(new Error(`${place} closed the connection without an answer`)));
  signal.addEventListener("abort", () => fail(signal.reason as Error), { once: true });
  return {
    async next() {
      for (;;) {
        if (chunks.length > 0) buffered = Buffer.concat([buffered, ...chunks.splice(0)]);
        const found = first(buffered);
        if (found) {
          buffered = buffered.subarray(found.size);
          return found.frame;
        }
        if (failure) throw failure;
        signal.throwIfAborted();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
