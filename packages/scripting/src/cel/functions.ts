import type { CelValue } from "./cel-values.ts";
import type { Known } from "./compile.ts";
import { addFamilies } from "./families.ts";
import { addMath } from "./math.ts";
import { FunctionTable } from "./overloads.ts";
import { addStandard } from "./standard.ts";
import { addTextFamilies } from "./text-families.ts";

type Added = readonly [name: string, work: (args: readonly CelValue[]) => CelValue];

const globals = new FunctionTable();
const methods = new FunctionTable();
addStandard(globals, methods);
addFamilies(globals, methods);
addTextFamilies(globals, methods);
addMath(globals);

/** Every function that scripts have, and those that the caller adds, which hide others of their names. */
export function knownFunctions(added: readonly Added[]): Known {
  if (added.length === 0) return { globals: globals.functions, methods: methods.functions };
  const own = new FunctionTable();
  for (const [name, work] of added) own.addVariadic(name, work);
  return {
    globals: new Map([...globals.functions, ...own.functions]),
    methods: methods.functions,
  };
}
