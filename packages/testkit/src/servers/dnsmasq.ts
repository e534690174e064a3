import { createSocket } from "node:dgram";
import { freePort } from "./free-port.ts";
import { findProgram, startProgram } from "./program.ts";

export interface DnsServer {
  port: number;
  stop(): Promise<void>;
}

/** A query for the address of `ready.test`, to see whether anybody answers. */
const question = Buffer.from(
  "1234010000010000000000000572656164790474657374000001 0001".replaceAll(" ", ""),
  "hex",
);

function answers(port: number): Promise<boolean> {
  return new Promise((fulfil) => {
    const socket = createSocket("udp4");
    const finish = (isThere: boolean) => {
      clearTimeout(timer);
      socket.close();
      fulfil(isThere);
    };
    const timer = setTimeout(() => finish(false), 200);
    socket.on("error", () => finish(false));
    socket.on("message", () => finish(true));
    socket.connect(port, "127.0.0.1", () => socket.send(question));
  });
}

/**
 * A real name server that knows exactly the records it is given, as options of dnsmasq (`--host-record=…`); undefined
 * when `dnsmasq` is not installed.
 */
export async function startDnsmasq(records: readonly string[]): Promise<DnsServer | undefined> {
  const program = findProgram("dnsmasq");
  if (!program) return undefined;
  const port = await freePort();
  const running = await startProgram({
    program,
    args: [
      "--no-daemon",
      "--conf-file=/dev/null",
      "--no-resolv",
      "--no-hosts",
      "--local=/test/",
      "--bind-interfaces",
      "--listen-address=127.0.0.1",
      `--port=${port}`,
      "--user=",
      "--pid-file=",
      "--host-record=ready.test,192.0.2.1",
      ...records,
    ],
    isReady: () => answers(port),
  });
  return { port, stop: () => running.stop() };
}
