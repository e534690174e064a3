import { isLogBackendType, type LogBackendType } from "@mainstay/contract/logs/backend-types.ts";
import { readYamlDocuments, type YamlPath } from "@mainstay/contract/documents/text/edit-yaml.ts";

/** One backend of a text that can be edited as a form. */
export interface WrittenBackend {
  /** Tells it from the others of the text. */
  id: string;
  document: number;
  /** The way to it in its document, and to the element that holds it. */
  path: YamlPath;
  element: YamlPath;
  type: LogBackendType;
  /** Its place in the document, from 1. */
  number: number;
  backend: Readonly<Record<string, unknown>>;
}

type Map = Readonly<Record<string, unknown>>;
const isMap = (value: unknown): value is Map =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const listOf = (value: unknown): readonly unknown[] => {
  const spec = isMap(value) ? value["spec"] : undefined;
  const list = isMap(spec) ? spec["backends"] : undefined;
  return Array.isArray(list) ? list : [];
};

/** The backends of a text, and its documents; nothing where it cannot be read. */
export function backendsInText(
  text: string,
): { backends: WrittenBackend[]; values: unknown[] } | null {
  const documents = readYamlDocuments(text);
  if (!documents) return null;
  let values: unknown[];
  try {
    values = documents.map((document) => document.toJS({ maxAliasCount: 100 }) as unknown);
  } catch {
    // A document of few lines can stand for billions of them.
    return null;
  }
  const backends = values.flatMap((value, document) =>
    listOf(value).flatMap((one, index) =>
      Object.entries(isMap(one) ? one : {}).flatMap(([type, backend]): WrittenBackend[] => {
        if (!isLogBackendType(type)) return [];
        const element = ["spec", "backends", index];
        return [
          {
            id: [document, index, type].join("."),
            document,
            path: [...element, type],
            element,
            type,
            number: index + 1,
            backend: isMap(backend) ? backend : {},
          },
        ];
      }),
    ),
  );
  return { backends, values };
}

/** Where the next backend belongs in a document. */
export const placeForBackend = (value: unknown, type: string): YamlPath => [
  "spec",
  "backends",
  listOf(value).length,
  type,
];
