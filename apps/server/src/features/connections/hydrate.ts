import type { Evaluator } from "@mainstay/scripting";
import type { Asker, ValueSources } from "#platform/value-sources/value-sources.ts";
import type { Connection } from "./connection.ts";

/** A connection as it is stored, opened. */
export type StoredConnection = Connection;

export interface HydrateParts {
  values: ValueSources;
  /** Asked when a template says more than the names of values that are there. */
  evaluator: Pick<Evaluator, "evaluate">;
}

/** Takes values from where they stand, then renders address and properties with them (spec formats, section 2.2). */
export async function hydrate(
  stored: StoredConnection,
  { values, evaluator }: HydrateParts,
  asker: Asker,
): Promise<{ connection: Connection; isFromElsewhere: boolean }> {
  let isFromElsewhere = false;
  const resolve = async (text: string | undefined): Promise<string | undefined> => {
    if (text === undefined) return undefined;
    const found = await values.resolveText(text, asker);
    if (found !== text) isFromElsewhere = true;
    return found;
  };
  const connection: Connection = { ...stored };
  for (const column of ["url", "username", "password", "certificate"] as const) {
    const found = await resolve(stored[column]);
    if (found !== undefined) connection[column] = found;
  }
  const properties: Record<string, string> = {};
  for (const [name, text] of Object.entries(stored.properties))
    properties[name] = (await resolve(text)) ?? "";

  const { name, type, namespace, username = "", password = "" } = connection;
  const context = {
    name,
    type,
    namespace,
    username: encodeURIComponent(username.toWellFormed()),
    password: encodeURIComponent(password.toWellFormed()),
    domain: username.includes("@") ? username.slice(username.lastIndexOf("@") + 1) : "",
    properties,
  };
  const render = (text: string) => renderTemplate(text, context, evaluator);
  if (connection.url !== undefined) connection.url = await render(connection.url);
  const rendered: Record<string, string> = {};
  for (const [key, text] of Object.entries(properties)) rendered[key] = await render(text);
  return { connection: { ...connection, properties: rendered }, isFromElsewhere };
}

type Context = Record<string, string | Record<string, string>>;

const plainName = /\$\(\.?([\w.]+)\)|\{\{-?\s*\.([\w.]+)\s*-?\}\}/g;

/**
 * Names alone need no interpreter, and hardly an address says more. A property that is not set is empty: the addresses
 * that we make of a connection's parts name all that there may be. Any other name that is nobody's is the interpreter's
 * to judge.
 */
async function renderTemplate(
  text: string,
  context: Context,
  evaluator: HydrateParts["evaluator"],
): Promise<string> {
  if (!/\$\(|\{\{/.test(text)) return text;
  const left = text.replaceAll(plainName, (name, one?: string, other?: string) =>
    valueOf((one ?? other)!, context) === undefined ? name : "",
  );
  if (/\$\(|\{\{/.test(left)) {
    const { value } = await evaluator.evaluate({
      language: "gotemplate",
      script: text,
      context,
      isSpec: true,
    });
    return typeof value === "string" ? value : JSON.stringify(value);
  }
  return text.replaceAll(plainName, (_, one?: string, other?: string) =>
    valueOf((one ?? other)!, context)!,
  );
}

function valueOf(name: string, context: Context): string | undefined {
  const [first = "", ...rest] = name.split(".");
  const found = Object.hasOwn(context, first) ? context[first] : undefined;
  if (typeof found !== "object") return rest.length === 0 ? found : undefined;
  const key = rest.join(".");
  if (key === "") return undefined;
  return Object.hasOwn(found, key) ? found[key] : "";
}
