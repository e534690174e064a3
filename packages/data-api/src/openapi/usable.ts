import type { WriteVerb } from "../declare.ts";
import type { Can } from "../plan/scope.ts";
import type { Schema } from "../schema/schema.ts";
import type { Usable } from "./document.ts";

const allVerbs: readonly WriteVerb[] = ["insert", "update", "delete"];

/** What a declared schema lets someone use who may do what `can` says. */
export function usableBy({ tables, functions }: Schema<never>, can: Can): Usable {
  return {
    table(name) {
      const declaration = tables.get(name)?.declaration;
      if (!declaration) return undefined;
      const read = can(declaration.read, "read");
      const mayWrite = declaration.write !== undefined && can(declaration.write, "write");
      const verbs = mayWrite ? (declaration.verbs ?? allVerbs) : [];
      return read || verbs.length > 0 ? { read, verbs } : undefined;
    },
    function(name) {
      const declaration = functions.get(name)?.declaration;
      return declaration !== undefined && can(declaration.resource, "read");
    },
  };
}
