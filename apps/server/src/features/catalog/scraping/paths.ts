import { compileJsonPath, type JsonPath, type Location } from "@mainstay/scripting";
import type { Json } from "../changes/json-patch.ts";

const compiled = new Map<string, JsonPath>();
const mostCompiled = 1000;

/** Of documents there are few, and their paths come again with every item. @throws ScriptError */
function compile(text: string): JsonPath {
  const known = compiled.get(text);
  if (known) return known;
  if (compiled.size >= mostCompiled) compiled.clear();
  const made = compileJsonPath(text);
  compiled.set(text, made);
  return made;
}

/** Everything that a path finds. @throws ScriptError */
export const findAll = (path: string, value: Json): Json[] =>
  compile(path).values(value) as unknown as Json[];

/** The first that a path finds and that is not null. @throws ScriptError */
export const findFirst = (path: string, value: Json): Json | undefined =>
  findAll(path, value).find((found) => found !== null);

/** Where a path finds something. @throws ScriptError */
export const findPlaces = (path: string, value: Json): { location: Location; value: Json }[] =>
  compile(path).find(value) as unknown as { location: Location; value: Json }[];

/** The value with what stands at a place exchanged, or without it: what is not on the way there is shared. */
export function replaceAt(
  value: Json,
  location: Location,
  make: ((found: Json) => Json) | undefined,
): Json {
  const [key, ...rest] = location;
  if (key === undefined) return make ? make(value) : null;
  if (Array.isArray(value)) {
    const list = [...(value as readonly Json[])];
    const index = key as number;
    if (rest.length === 0 && !make) list.splice(index, 1);
    else list[index] = replaceAt(list[index]!, rest, make);
    return list;
  }
  const entries = Object.entries(value as Record<string, Json>);
  return Object.fromEntries(
    entries.flatMap(([name, inner]) =>
      name !== key
        ? [[name, inner] as const]
        : rest.length === 0 && !make
          ? []
          : [[name, replaceAt(inner, rest, make)] as const],
    ),
  );
}
