import { isIP } from "node:net";
import { checkSpecs, type DnsSpec, spanMs } from "@mainstay/contract";
import { attempt, checkType, failed, inMs, passed, untried } from "../check-type.ts";
import { placeName } from "#platform/outbound/network-errors.ts";
import { ask } from "./ask.ts";
import { reverseName, textsOf } from "./records.ts";
import { systemServer } from "./system-server.ts";

const defaultTimeoutMs = 10_000;

const plain = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replace(/\.$/, "")
    .replaceAll(/\.(?= \d)/g, "");
const sorted = (texts: readonly string[]) => texts.map(plain).toSorted();

export const dns = checkType<DnsSpec>({
  type: "dns",
  spec: checkSpecs.dns,
  network: true,
  endpoint: (spec) =>
    `${spec.query}${spec.server ? `@${placeName(spec.server, spec.port ?? 53)}` : ""}`,
  async run(input) {
    const { spec, connector, signal } = input;
    const type = spec.querytype ?? "A";
    const name = type === "PTR" && isIP(spec.query) ? reverseName(spec.query) : spec.query;
    const limitMs = spec.timeout === undefined ? defaultTimeoutMs : spanMs(spec.timeout);
    const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    return attempt(input, async () => {
      const own = spec.server === undefined ? systemServer() : undefined;
      const host = spec.server ?? own?.host;
      if (host === undefined) return untried("this machine has no name server configured");
      const port = spec.port ?? own?.port ?? 53;
      // The machine's own name server is trusted whatever its address; one that a document names is judged.
      const address = own
        ? host
        : ((await connector.resolve(host, { signal: limited }))[0] as string);
      const server = placeName(address, port);
      // A name server of this machine that does not answer says nothing about the name.
      const silent = own ? untried : failed;

      const started = performance.now();
      let answer;
      try {
        const isOwn = own !== undefined;
        answer = await ask({ name, type, address, port, isOwn, signal: limited, connector });
      } catch (error) {
        if (limited.aborted && !signal.aborted)
          return silent(`no answer from ${server} within ${limitMs} ms`);
        throw error;
      }
      const durationMs = performance.now() - started;
      const records = textsOf(answer.answers ?? [], type);
      const details = { records, rcode: answer.rcode };
      const bad = (error: string) => failed(error, { durationMs, details });

      if (answer.rcode === "NXDOMAIN")
        return bad(`the name "${spec.query}" does not exist according to ${server}`);
      if (answer.rcode !== "NOERROR")
        return bad(`${server} answered ${answer.rcode} for "${spec.query}"`);
      if (records.length === 0) return bad(`"${spec.query}" has no ${type} record`);
      if (records.length < (spec.minrecords ?? 0)) {
        return bad(`${records.length} ${type} records found, at least ${spec.minrecords} wanted`);
      }
      if (
        spec.exactreply?.length &&
        sorted(spec.exactreply).join("\n") !== sorted(records).join("\n")
      ) {
        return bad(`the answer is ${records.join(", ")}; wanted ${spec.exactreply.join(", ")}`);
      }
      if (spec.thresholdMillis && durationMs > spec.thresholdMillis) {
        return bad(
          `the answer took ${inMs(durationMs)}, at most ${spec.thresholdMillis} ms wanted`,
        );
      }
      return passed(records.slice(0, 10).join(", "), { durationMs, details });
    });
  },
});
