import type { z } from "zod";
import type { CheckOutcome, CheckType } from "../check-type.ts";
import { type Connector, createConnector } from "#platform/outbound/connector.ts";

/** For tests: reads a spec as a document holds it and runs the check once. */
export function tryCheck<Spec>(
  type: CheckType<Spec>,
  spec: z.input<CheckType<Spec>["spec"]>,
  {
    timeoutMs = 10_000,
    connector = createConnector(),
  }: { timeoutMs?: number; connector?: Connector } = {},
): Promise<CheckOutcome> {
  const parsed = type.spec.parse({ name: "test", ...(spec as object) });
  return type.run({ spec: parsed, signal: AbortSignal.timeout(timeoutMs), timeoutMs, connector });
}
