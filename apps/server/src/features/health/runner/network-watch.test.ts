import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, test, vi } from "vitest";
import { createLog } from "#platform/log.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { answersAt, createNetworkWatch } from "./network-watch.ts";

const log = createLog("silent");
/** Its targets are the server's own: no rule for documents is in their way. */
const connector = createConnector({ deny: ["127.0.0.0/8"] });

test("a target that accepts answers; one that refuses or cannot be found does not", async () => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await answersAt(connector, target, 2000)).toBe(true);
  await new Promise((resolve) => server.close(resolve));
  expect(await answersAt(connector, target, 2000)).toBe(false);
  expect(await answersAt(connector, "no-such-name.invalid:80", 2000)).toBe(false);
});

test("without targets the network is always there", async () => {
  const watch = createNetworkWatch({ targets: [], log, ask: () => Promise.resolve(false) });
  expect(watch.isLost).toBe(false);
  expect(await watch.isThereAfter(performance.now())).toBe(true);
});

test("it is lost when no target answers, and back when one does", async () => {
  const answers: Record<string, boolean> = { a: true, b: true };
  const watch = createNetworkWatch({
    targets: ["a", "b"],
    log,
    everyMs: 5,
    ask: (target) => Promise.resolve(answers[target]!),
  });
  answers.a = false;
  expect(await watch.isThereAfter(performance.now())).toBe(true);
  expect(watch.isLost).toBe(false);
  answers.b = false;
  await vi.waitFor(() => expect(watch.isLost).toBe(true));
  answers.a = true;
  await vi.waitFor(() => expect(watch.isLost).toBe(false));
  watch.stop();
});

test("a failure is believed only by a probe that began after it", async () => {
  let isThere = true;
  let asked = 0;
  const pending: (() => void)[] = [];
  const watch = createNetworkWatch({
    targets: ["a"],
    log,
    everyMs: 3_600_000,
    ask: () => {
      asked++;
      const answer = isThere;
      return new Promise((resolve) => pending.push(() => resolve(answer)));
    },
  });
  // The first probe is under way and will say yes; the failure happens after it began.
  const began = performance.now();
  isThere = false;
  const believed = watch.isThereAfter(began);
  pending.shift()!();
  await vi.waitFor(() => expect(asked).toBe(2));
  pending.shift()!();
  expect(await believed).toBe(false);
  expect(watch.isLost).toBe(true);
  watch.stop();
});
