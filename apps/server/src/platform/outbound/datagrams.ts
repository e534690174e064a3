import { createSocket, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";
import { describeNetworkError, placeName } from "./network-errors.ts";

/** A UDP socket that sends to one address, and hears from nobody else. */
export function openDatagrams(
  { address, port }: { address: string; port: number },
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((fulfil, reject) => {
    signal.throwIfAborted();
    const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
    const fail = (error: Error) => {
      socket.close();
      reject(describeNetworkError(error, placeName(address, port)));
    };
    socket.once("error", fail);
    // An address needs no look-up: it is connected at once.
    socket.connect(port, address, () => {
      socket.removeListener("error", fail);
      if (!signal.aborted) return fulfil(socket);
      socket.close();
      return reject(signal.reason as Error);
    });
  });
}
