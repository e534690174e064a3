import { readYamlDocuments, type YamlPath } from "@mainstay/contract/documents/text/edit-yaml.ts";
import { deepestComponent, isMapping } from "@mainstay/contract/topology/parts.ts";

type Map = Readonly<Record<string, unknown>>;

/** A component of a text that can be edited as a form. */
export interface WrittenComponent {
  /** Tells it from the others of the text: its document and the way to it. */
  id: string;
  document: number;
  /** The way to the list that it stands in, and its place there. */
  list: YamlPath;
  index: number;
  path: YamlPath;
  component: Map;
  /** It is made for each component that the lookup of the one above finds. */
  isForEach: boolean;
  children: WrittenComponent[];
}

const idOf = (document: number, path: YamlPath): string => [document, ...path].join(".");

/** The components of one list; what is no mapping is left to the text. */
function componentsOf(
  holder: unknown,
  at: { document: number; path: YamlPath; depth: number; isForEach: boolean },
): WrittenComponent[] {
  const { document, depth, isForEach } = at;
  const list = [...at.path, "components"];
  const found = isMapping(holder) ? holder["components"] : undefined;
  if (!Array.isArray(found) || depth > deepestComponent) return [];
  return found.flatMap((component: unknown, index): WrittenComponent[] => {
    if (!isMapping(component)) return [];
    const path = [...list, index];
    const below = { document, depth: depth + 1 };
    return [
      {
        id: idOf(document, path),
        document,
        list,
        index,
        path,
        component,
        isForEach,
        children: [
          ...componentsOf(component, { ...below, path, isForEach: false }),
          ...componentsOf(component["forEach"], {
            ...below,
            path: [...path, "forEach"],
            isForEach: true,
          }),
        ],
      },
    ];
  });
}

/** The documents of a text, each with the components right in it; nothing where it cannot be read. */
export function componentsInText(
  text: string,
): { values: unknown[]; trees: WrittenComponent[][] } | null {
  const documents = readYamlDocuments(text);
  if (!documents) return null;
  let values: unknown[];
  try {
    values = documents.map((document) => document.toJS({ maxAliasCount: 100 }) as unknown);
  } catch {
    // A document of few lines can stand for billions of them.
    return null;
  }
  const trees = values.map((value, document) =>
    componentsOf(isMapping(value) ? value["spec"] : undefined, {
      document,
      path: ["spec"],
      depth: 1,
      isForEach: false,
    }),
  );
  return { values, trees };
}

/** Every component of a tree that is not hidden by a folded one, in the order in which they are drawn. */
export const shownOf = (
  tree: readonly WrittenComponent[],
  folded: ReadonlySet<string>,
): WrittenComponent[] =>
  tree.flatMap((one) => [one, ...(folded.has(one.id) ? [] : shownOf(one.children, folded))]);

/** What a list holds, as it is written. */
export function listAt(value: unknown, path: YamlPath): readonly unknown[] {
  const found = path.reduce<unknown>(
    (at, step) => (at as Record<string, unknown> | null | undefined)?.[step],
    value,
  );
  return Array.isArray(found) ? found : [];
}

/** What it is called in the tree: a lookup needs no name. */
export const nameOf = ({ component, isForEach }: WrittenComponent): string => {
  const { name, lookup, type } = component;
  const said = typeof name === "string" && name !== "" ? name : undefined;
  const found = lookup !== undefined && lookup !== null ? "Found by a lookup" : "Without a name";
  const words = said ?? (typeof type === "string" && type !== "" ? type : found);
  return isForEach ? `For each: ${words}` : words;
};
