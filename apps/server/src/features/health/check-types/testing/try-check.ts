import type { z } from "zod";
import type { ArtifactKeeper, CheckOutcome, CheckType, Lent } from "../check-type.ts";
import {
  type Connector,
  createConnector,
  type OutboundPolicy,
} from "#platform/outbound/connector.ts";
import { createPrograms } from "#platform/outbound/programs.ts";
import { hidingRun } from "../../runner/runnable-check.ts";
import { testConfig } from "../../../../testing/app.ts";

/** Reaches everything but what nobody should, and runs scripts also where the tests do not run as root. */
export const openTestConnector = (policy: OutboundPolicy = {}): Connector =>
  createConnector({ programs: createPrograms(testConfig()), ...policy });

/** For tests: reads a spec as a document holds it and runs the check once, as the runner does. */
export function tryCheck<Spec>(
  type: CheckType<Spec>,
  spec: z.input<CheckType<Spec>["spec"]>,
  {
    timeoutMs = 10_000,
    connector = openTestConnector(),
    lent,
    artifacts,
    signal = AbortSignal.timeout(timeoutMs),
  }: {
    timeoutMs?: number;
    /** For tests that end the run when they have seen it at work. */
    signal?: AbortSignal;
    connector?: Connector;
    lent?: Lent;
    artifacts?: ArtifactKeeper;
  } = {},
): Promise<CheckOutcome> {
  const parsed = type.spec.parse({ name: "test", ...(spec as object) });
  const written = { name: "test", ...(spec as object) };
  const run = hidingRun({ type: type.type, spec: written }, (input) =>
    type.run({ ...input, spec: parsed, namespace: "default", ...(lent && { lent }) }),
  );
  return run({ signal, timeoutMs, connector, artifacts });
}
