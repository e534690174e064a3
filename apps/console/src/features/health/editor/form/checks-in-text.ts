import { isSupportedCheckType, type SupportedCheckType } from "@mainstay/contract/canary/index.ts";
import { readYamlDocuments, type YamlPath } from "@mainstay/contract/documents/text/edit-yaml.ts";

/** One check of a text that can be edited as a form. */
export interface WrittenCheck {
  /** Tells it from the others of the text. */
  id: string;
  document: number;
  /** The way to it in its document. */
  path: YamlPath;
  type: SupportedCheckType;
  check: Readonly<Record<string, unknown>>;
}

type Map = Readonly<Record<string, unknown>>;
const isMap = (value: unknown): value is Map =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The checks of a text, and its documents; nothing where it cannot be read. */
export function checksInText(text: string): { checks: WrittenCheck[]; values: unknown[] } | null {
  const documents = readYamlDocuments(text);
  if (!documents) return null;
  let values: unknown[];
  try {
    values = documents.map((document) => document.toJS({ maxAliasCount: 100 }) as unknown);
  } catch {
    // A document of few lines can stand for billions of them.
    return null;
  }
  const checks = values.flatMap((value, document) => {
    const spec = isMap(value) && isMap(value["spec"]) ? value["spec"] : {};
    return Object.entries(spec).flatMap(([type, list]) => {
      if (!isSupportedCheckType(type)) return [];
      const at = (check: unknown, ...more: number[]): WrittenCheck => ({
        id: [document, type, ...more].join("."),
        document,
        path: ["spec", type, ...more],
        type,
        check: isMap(check) ? check : {},
      });
      return Array.isArray(list) ? list.map((check, index) => at(check, index)) : [at(list)];
    });
  });
  return { checks, values };
}

/** Where the next check of a type belongs in a document. */
export function placeForCheck(value: unknown, type: string): YamlPath {
  const spec = isMap(value) && isMap(value["spec"]) ? value["spec"] : {};
  const list = spec[type];
  return ["spec", type, Array.isArray(list) ? list.length : 0];
}

/** A name that no check of that type has yet. */
export function freeName(checks: readonly WrittenCheck[], type: string): string {
  const taken = new Set(checks.map(({ check }) => check["name"]));
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? `my-${type.toLowerCase()}` : `my-${type.toLowerCase()}-${count}`;
    if (!taken.has(name)) return name;
  }
}
