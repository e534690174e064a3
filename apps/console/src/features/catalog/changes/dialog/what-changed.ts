const mostPaths = 3;
/** What lies deeper is told as a part of what holds it. */
const deepest = 8;

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Where a merge patch (RFC 7396) or a list of operations (RFC 6902) says something else. */
function pathsOf(patch: unknown, depth = 1): string[] {
  if (Array.isArray(patch))
    return patch.flatMap((one: unknown) =>
      isMap(one) && typeof one["path"] === "string"
        ? [one["path"].slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~")]
        : [],
    );
  if (!isMap(patch)) return [];
  return Object.entries(patch).flatMap(([key, value]) =>
    isMap(value) && Object.keys(value).length > 0 && depth < deepest
      ? pathsOf(value, depth + 1).map((below) => `${key}.${below}`)
      : [key],
  );
}

/** What a patch changes, in a line: `spec.replicas, metadata.labels.app and 4 more`; empty where it replaces all. */
export function whatChanged(patch: unknown): string {
  const paths = [...new Set(pathsOf(patch))].filter((path) => path !== "");
  const more = paths.length - mostPaths;
  return `${paths.slice(0, mostPaths).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
