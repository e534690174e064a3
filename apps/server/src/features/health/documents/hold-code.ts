import { type CanaryCheck, codeInCheck } from "@mainstay/contract";
import type { Config } from "#platform/config.ts";
import { codeOff } from "#platform/require-code.ts";

export type CodeSettings = Pick<Config, "checkerOnly" | "checkerWrite">;

/** Where nothing may reach into the machine, what would is kept and not run, with the reason. */
export function holdCode(config: CodeSettings, checks: readonly CanaryCheck[]): CanaryCheck[] {
  const off = codeOff(config);
  return checks.map((check) =>
    off === undefined || codeInCheck(check.type, check.spec) === undefined
      ? check
      : { ...check, held: check.held === undefined ? off : `${check.held} ${off}` },
  );
}
