import { parseAllDocuments } from "yaml";

const longest = 1_000_000;

/** YAML with even indentation; comments and order stay. Nothing where the text is no YAML. */
export function formatYaml(text: string): string | null {
  if (text.length > longest) return null;
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents)) return text;
  if (documents.some(({ errors }) => errors.length > 0)) return null;
  return documents.map((document) => document.toString({ lineWidth: 0 })).join("");
}
