import { type CodeFinding, codeDeed } from "@mainstay/contract";
import type { Config } from "./config.ts";
import type { Ctx } from "./context.ts";
import { type AppError, forbidden, type Issue } from "./errors.ts";

/** Why nothing reaches into the machine of a server that everybody may write to, and what to do about it. */
const OFF =
  "On a server that everybody may write to (--checker-write) programs, local folders, files and sockets are off, whoever asks. Run such checks on a server with accounts.";

/** Whether documents may not reach into this server's machine at all, and why. */
export const codeOff = (config: Pick<Config, "checkerOnly" | "checkerWrite">): string | undefined =>
  config.checkerOnly && config.checkerWrite ? OFF : undefined;

/** Who has the permission, and what somebody does who lacks it. */
function whoMay({ codeRoles }: Pick<Config, "codeRoles">): string {
  const others = codeRoles.filter((role) => role !== "admin");
  const named = ["administrators", ...others.map((role) => `${role}s`)];
  const who = new Intl.ListFormat("en-GB", { type: "conjunction" }).format(named);
  return `On this server ${who} may do that (CODE_ROLES). Ask one of them to save it.`;
}

/** Finds where in the text that was sent the parts are, one place for each; left out where there is no text. */
export type Locate = (
  findings: readonly CodeFinding[],
) => readonly (Pick<Issue, "line" | "column"> & { path?: string })[];

/**
 * Refuses a document with parts that reach into the server's machine to whoever lacks the permission `server_code`.
 * Every part is named. The program itself may, as its documents are ours.
 */
export function requireCode(ctx: Ctx, findings: readonly CodeFinding[], locate?: Locate): void {
  const refusal = refuseCode(ctx, findings, locate);
  if (refusal) throw refusal;
}

/** The refusal as a value, for whoever has something to do before it is thrown. */
export function refuseCode(
  ctx: Ctx,
  findings: readonly CodeFinding[],
  locate?: Locate,
): AppError | undefined {
  const { actor, config } = ctx;
  if (findings.length === 0 || actor.kind === "system") return undefined;
  const off = codeOff(config);
  if (off === undefined && ctx.can("server_code", "write")) return undefined;
  const why = off ?? whoMay(config);
  const places = locate?.(findings) ?? [];
  const issues = findings.map((finding, index): Issue => ({
    path: finding.path.join("."),
    message: `${codeDeed(finding)}. ${why}`,
    ...places[index],
  }));
  const first = issues[0]!;
  const where = first.line === undefined ? "" : `Line ${first.line}, column ${first.column}: `;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return forbidden(`${where}${first.path}: ${first.message}${more}`, issues);
}
