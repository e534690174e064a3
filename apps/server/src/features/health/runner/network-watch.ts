import { splitHostPort } from "@mainstay/contract";
import type { Log } from "#platform/log.ts";
import type { Connector } from "#platform/outbound/connector.ts";

/** Whether this machine still has its network. Without targets to ask it always has. */
export interface NetworkWatch {
  readonly isLost: boolean;
  /** Before a failure is believed: whether the network was there at some moment after `since` (`performance.now()`). */
  isThereAfter(since: number): Promise<boolean>;
  stop(): void;
}

export interface NetworkWatchOptions {
  /** `host:port`; one that answers is enough. */
  targets: readonly string[];
  log: Log;
  everyMs?: number;
  timeoutMs?: number;
  /** Whether a target answers. */
  ask: (target: string, timeoutMs: number) => Promise<boolean>;
}

export function createNetworkWatch({
  targets,
  log,
  everyMs = 5_000,
  timeoutMs = 2_000,
  ask,
}: NetworkWatchOptions): NetworkWatch {
  let isLost = false;
  let seenAt = Number.NEGATIVE_INFINITY;
  let probing: Promise<void> | undefined;
  let probeStartedAt = 0;

  async function probe(): Promise<void> {
    const startedAt = performance.now();
    probeStartedAt = startedAt;
    const answers = await Promise.all(targets.map((target) => ask(target, timeoutMs)));
    const isThere = answers.includes(true);
    if (isThere) seenAt = startedAt;
    if (isThere === isLost) {
      isLost = !isThere;
      if (isLost)
        log.warn(
          { targets },
          "this machine has lost its network: none of the probe's targets answers",
        );
      else log.warn({ targets }, "this machine has its network again");
    }
  }
  const probeOnce = () => {
    probing ??= probe().finally(() => {
      probing = undefined;
    });
    return probing;
  };

  if (targets.length === 0) {
    return { isLost: false, isThereAfter: () => Promise.resolve(true), stop() {} };
  }
  void probeOnce();
  const timer = setInterval(() => void probeOnce(), everyMs);
  timer.unref();

  return {
    get isLost() {
      return isLost;
    },
    async isThereAfter(since) {
      if (seenAt >= since) return true;
      // A probe that began before says nothing about afterwards.
      if (probing && probeStartedAt < since) await probing;
      if (seenAt < since) await probeOnce();
      return seenAt >= since;
    },
    stop: () => clearInterval(timer),
  };
}

/** Whether somebody accepts a connection there, within the time. */
export async function answersAt(
  connector: Connector,
  target: string,
  timeoutMs: number,
): Promise<boolean> {
  const place = splitHostPort(target);
  if (!place) return false;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    (await connector.tcp(place, { signal, isOwn: true })).destroy();
    return true;
  } catch {
    // A refusal is no answer: firewalls of a machine that is cut off refuse in the target's name.
    return false;
  }
}
