import { checkSpecs, splitHostPort, type TcpSpec } from "@mainstay/contract";
import type { Socket } from "node:net";
import { placeName } from "#platform/outbound/network-errors.ts";
import { certificateEnds, secure } from "#platform/outbound/tls.ts";
import { certificateExpiry, judgeEnd } from "../expiry.ts";
import { attempt, checkType, failed, inMs, passed } from "../check-type.ts";

/** Speaks TLS, and says until when the certificate is valid. */
async function handshake(
  socket: Socket,
  { host, port }: { host: string; port: number },
  { spec, signal }: { spec: TcpSpec; signal: AbortSignal },
): Promise<Date | undefined> {
  const { ca, cert, key, insecureSkipVerify } = spec.tlsConfig ?? {};
  const settings = { insecureSkipVerify, ca: ca?.value, cert: cert?.value, key: key?.value };
  const place = placeName(host, port);
  const secured = await secure(socket, { host, place, tls: settings, signal });
  const ends = certificateEnds(secured);
  secured.on("error", () => undefined);
  secured.destroy();
  return ends;
}

export const tcp = checkType<TcpSpec>({
  type: "tcp",
  spec: checkSpecs.tcp,
  network: true,
  endpoint: (spec) => spec.endpoint,
  async run(input) {
    const { spec, connector, signal } = input;
    const target = splitHostPort(spec.endpoint);
    if (!target) return failed(`"${spec.endpoint}" is not host:port`, { invalid: true });
    const threshold = spec.thresholdMillis || undefined;
    const limited = threshold ? AbortSignal.any([signal, AbortSignal.timeout(threshold)]) : signal;
    const started = performance.now();
    return attempt(input, async () => {
      let ends: Date | undefined;
      try {
        const socket = await connector.tcp(target, { signal: limited });
        socket.on("error", () => undefined);
        try {
          if (spec.tls) ends = await handshake(socket, target, { spec, signal: limited });
        } finally {
          socket.destroy();
        }
      } catch (error) {
        if (threshold && limited.aborted && !signal.aborted) {
          return failed(`not connected within ${threshold} ms`, {
            durationMs: performance.now() - started,
          });
        }
        throw error;
      }
      const durationMs = performance.now() - started;
      const outcome = { durationMs, ...certificateExpiry(ends) };
      const said = `connected in ${inMs(durationMs)}`;
      if (!spec.maxSSLExpiry || !ends) return passed(said, outcome);
      const { error, message } = judgeEnd("the certificate", ends, spec.maxSSLExpiry);
      return error === undefined ? passed(`${said}; ${message}`, outcome) : failed(error, outcome);
    });
  },
});
