import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Value } from "@mainstay/scripting";

/** Of a release, unpacked. */
const longestRelease = 32 * 1024 * 1024;
const unpack = promisify(gunzip);

type Values = Record<string, unknown>;

const isMap = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What was given at the release over what the chart brings; null takes a value away. */
function merged(chart: unknown, given: unknown): unknown {
  if (!isMap(chart) || !isMap(given)) return given ?? chart;
  const names = new Set([...Object.keys(chart), ...Object.keys(given)]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      if (!Object.hasOwn(given, name)) return [[name, chart[name]]];
      if (given[name] === null) return [];
      return [[name, Object.hasOwn(chart, name) ? merged(chart[name], given[name]) : given[name]]];
    }),
  );
}

/** The values of a release, out of the secret in which Helm keeps it. */
export async function releaseValues(data: string): Promise<unknown> {
  // Once by Helm, and once more since it is a secret.
  const packed = Buffer.from(Buffer.from(data, "base64").toString("latin1"), "base64");
  const text = await unpack(packed, { maxOutputLength: longestRelease });
  const release = JSON.parse(text.toString("utf8")) as Values;
  const chart = isMap(release.chart) ? release.chart.values : {};
  return merged(isMap(chart) ? chart : {}, isMap(release.config) ? release.config : {});
}

/** One of them as a text: lists and mappings as JSON; undefined when there is none. */
export async function helmValue(values: unknown, path: string): Promise<string | undefined> {
  const [{ compileJsonPath }, { valueAsJson }] = await Promise.all([
    import("@mainstay/scripting/jsonpath/engine.ts"),
    import("@mainstay/scripting/value-as-json.ts"),
  ]);
  // As kubectl writes it: `{.a.b}`.
  const bare = path.replace(/^\{(.*)\}$/s, "$1").replace(/^\./, "$.");
  const [found] = compileJsonPath(bare).values(values as Value);
  if (found === undefined || found === null) return undefined;
  return typeof found === "string" ? found : valueAsJson(found);
}
