import { checkSpecs, splitHostPort, type TcpSpec } from "@mainstay/contract";
import { attempt, checkType, failed, inMs, passed } from "../check-type.ts";

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
      try {
        const socket = await connector.tcp(target, { signal: limited });
        socket.on("error", () => undefined);
        socket.destroy();
      } catch (error) {
        if (threshold && limited.aborted && !signal.aborted) {
          return failed(`not connected within ${threshold} ms`, {
            durationMs: performance.now() - started,
          });
        }
        throw error;
      }
      const durationMs = performance.now() - started;
      return passed(`connected in ${inMs(durationMs)}`, { durationMs });
    });
  },
});
