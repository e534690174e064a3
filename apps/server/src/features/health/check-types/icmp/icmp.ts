import { isIPv6 } from "node:net";
import { checkSpecs, type IcmpSpec } from "@mainstay/contract";
import { abortMessage, attempt, checkType, failed, inMs, passed, untried } from "../check-type.ts";
import { runProgram } from "#platform/outbound/run-program.ts";
import { parsePing } from "./parse-ping.ts";

const defaultPackets = 5;
/** The shortest interval that ping grants to everybody, in seconds. */
const interval = 0.2;
const longestMs = 10_000;
const keptOutput = 65_536;

/** What ping says when this machine has no way to there, whatever is at its end. */
const noWayOut =
  /network is unreachable|cannot assign requested address|address family not supported|unknown host family/i;

/** Of a URL, as public documents have it, its host. */
const hostOf = (endpoint: string): string =>
  URL.canParse(endpoint) && endpoint.includes("://") ? new URL(endpoint).hostname : endpoint;

export const icmp = checkType<IcmpSpec>({
  type: "icmp",
  spec: checkSpecs.icmp,
  network: true,
  endpoint: (spec) => hostOf(spec.endpoint),
  async run(input) {
    const { spec, connector, signal, timeoutMs } = input;
    return attempt(input, async () => {
      const host = hostOf(spec.endpoint).replace(/^\[|\]$/g, "");
      const addresses = await connector.resolve(host, { signal });
      const address = addresses.find((candidate) => !isIPv6(candidate)) ?? addresses[0] ?? host;
      const packets = spec.packetCount || defaultPackets;
      // A second is left to report, so that lost packets are counted and not cut off by the timeout.
      const budgetMs = Math.max(
        1000,
        Math.min(timeoutMs - 1000, Math.max(longestMs, packets * interval * 1000 + 5000)),
      );
      const run = await runProgram({
        program: "ping",
        args: [
          isIPv6(address) ? "-6" : "-4",
          "-n",
          `-c${packets}`,
          `-i${interval}`,
          "-W2",
          `-w${Math.ceil(budgetMs / 1000)}`,
          "--",
          address,
        ],
        // A program of ours, not of the document: as the server, for the right to ping. Nothing of our environment but
        // where programs lie; numbers and sentences in the form that the parser knows.
        env: { PATH: process.env.PATH ?? "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C" },
        signal,
        keptOutput,
      });
      if (signal.aborted) return failed(abortMessage(input));
      const report = parsePing(run.stdout.text);
      if (!report) {
        const said = run.stderr.text.trim().split("\n")[0] ?? "";
        if (/not permitted|permission denied|cap_net_raw|lacking privilege/i.test(said)) {
          return untried(
            `this system does not allow echo requests to be sent (${said.slice(0, 200)})`,
          );
        }
        const why = `ping failed: ${said.slice(0, 200) || `it ended with code ${run.exitCode}`}`;
        return noWayOut.test(said) ? untried(why) : failed(why);
      }
      const { sent, received, averageMs } = report;
      const lossPercent = sent === 0 ? 100 : ((sent - received) / sent) * 100;
      const outcome = {
        durationMs: averageMs,
        details: { address, sent, received, packetLoss: lossPercent, averageMs },
      };
      const loss = `${Math.round(lossPercent * 10) / 10} %`;
      if (received === 0) return failed(`no answer from ${address} to ${sent} packets`, outcome);
      const most = spec.packetLossThreshold ?? 0;
      if (lossPercent > most)
        return failed(`${loss} of ${sent} packets were lost, at most ${most} % wanted`, outcome);
      if (spec.thresholdMillis && averageMs !== undefined && averageMs > spec.thresholdMillis) {
        return failed(
          `the average round trip is ${inMs(averageMs)}, at most ${spec.thresholdMillis} ms wanted`,
          outcome,
        );
      }
      return passed(`${received} of ${sent} answered, ${inMs(averageMs ?? 0)} on average`, outcome);
    });
  },
});
