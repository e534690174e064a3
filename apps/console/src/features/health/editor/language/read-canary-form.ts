import { parse } from "yaml";
import { parseCanaryDocuments } from "@mainstay/contract/canary/parse-canary.ts";
import type { Problem } from "@mainstay/contract/documents/parse-documents.ts";

type Told = Pick<Problem, "severity" | "path" | "message"> & { line?: number; column?: number };

export type CanaryFormResult =
  | { labels: Record<string, string>; spec: Record<string, unknown> }
  | { problems: Told[] };

const longestLabels = 100_000;

const isScalar = (value: unknown): value is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof value);

function readLabels(text: string): Record<string, string> | Told[] {
  const refused = (message: string): Told[] => [{ severity: "error", path: "labels", message }];
  if (text.trim() === "") return {};
  if (text.length > longestLabels) return refused("There is too much text for labels.");
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 0 });
  } catch (error) {
    return refused(
      error instanceof Error ? (error.message.split("\n")[0] ?? "") : "This is not YAML.",
    );
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refused("Expected one `name: value` on each line.");
  }
  const entries = Object.entries(value);
  const wrong = entries.filter(([, item]) => !isScalar(item)).map(([key]) => key);
  if (wrong.length > 0) return refused(`A label has one value: ${wrong.join(", ")}.`);
  return Object.fromEntries(entries.map(([key, item]) => [key, String(item)]));
}

/** What the form holds as a row, or everything that is wrong with it. */
export function readCanaryForm(form: {
  spec: string;
  labels: string;
  name: string;
  namespace: string;
}): CanaryFormResult {
  const labels = readLabels(form.labels);
  const { documents, problems } = parseCanaryDocuments(form.spec, {
    bare: true,
    name: form.name,
    namespace: form.namespace,
  });
  const found: Told[] = [
    ...(Array.isArray(labels) ? labels : []),
    ...problems.filter(({ severity }) => severity === "error"),
  ];
  const [document, ...others] = documents;
  if (others.length > 0)
    found.push({
      severity: "error",
      path: "",
      message: "A health check has one document; here are several.",
    });
  if (found.length > 0 || !document || Array.isArray(labels)) {
    return {
      problems:
        found.length > 0 ? found : [{ severity: "error", path: "", message: "The spec is empty." }],
    };
  }
  return { labels, spec: document.source };
}
