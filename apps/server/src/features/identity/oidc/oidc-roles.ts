import { createContext, Script } from "node:vm";
import { type Role, roles } from "@mainstay/contract";

/** What claims bring: roles of ours, and names of teams, whether there are such teams or not. */
export interface Brought {
  roles: Role[];
  teams: string[];
}

/**
 * What claims bring, by an expression in CEL over `claims`: a role, a list of roles, or a map with `role` or `roles`
 * and `teams`. What is no role of ours brings nothing.
 */
export type RoleExpression = (claims: Record<string, unknown>) => Promise<Brought>;

/** Longest that an expression may think about somebody's claims; nobody else is answered meanwhile. */
const LIMIT_MS = 250;
const call = new Script("work()");

/** Ends what runs for too long from outside: an expression that walks lists in lists never ends by itself. */
function withinLimit<T>(work: () => T): T {
  try {
    return call.runInContext(createContext({ work }), { timeout: LIMIT_MS }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw new RoleExpressionError(`the expression took longer than ${LIMIT_MS} ms`);
  }
}

/** Rejects with what is wrong when the text is no expression. */
export async function compileRoles(expression: string): Promise<RoleExpression> {
  // Only where a provider is configured so: it is a large library.
  const { celEnv, isCelError, isCelList, isCelMap, parse, plan } = await import("@bufbuild/cel");
  const { strings } = await import("@bufbuild/cel/ext");
  const evaluate = plan(celEnv({ funcs: strings }), parse(expression));

  const namesIn = (value: unknown): string[] => {
    if (isCelList(value)) return [...value].flatMap(namesIn);
    return typeof value === "string" ? [value] : [];
  };
  const read = (value: unknown) =>
    isCelMap(value)
      ? {
          roles: [value.get("role"), value.get("roles")].flatMap(namesIn),
          teams: namesIn(value.get("teams")),
        }
      : { roles: namesIn(value), teams: [] };
  return async (claims) => {
    // The text form leaves only what CEL knows.
    const input = JSON.parse(JSON.stringify(claims)) as Record<string, never>;
    const { roles: names, teams } = withinLimit(() => {
      const result = evaluate({ claims: toCel(input) });
      if (isCelError(result)) throw new RoleExpressionError(result.message);
      return read(result);
    });
    return { roles: roles.filter((role) => names.includes(role)), teams: teams.slice(0, 100) };
  };

  function toCel(value: unknown): never {
    if (Array.isArray(value)) return value.map(toCel) as never;
    if (typeof value === "object" && value !== null)
      return new Map(Object.entries(value).map(([key, one]) => [key, toCel(one)])) as never;
    return value as never;
  }
}

/** The expression could not be evaluated over somebody's claims: one that it asks for is not there, or of another kind. */
export class RoleExpressionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "RoleExpressionError";
  }
}
