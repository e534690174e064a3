import { type Document, type LineCounter } from "yaml";
import { type CanaryMetadata, type CanarySpec, unsupportedCheckTypes } from "./canary-spec.ts";
import { type CanaryParts } from "./checks-of.ts";
import { findTargets, placeAt, placeOf, stepsOf } from "./places.ts";
import { checkCanary, checkCanarySpec, type Finding, mostFindings } from "./problems.ts";
import { readYaml, type TextLimits, textLimits } from "./read-yaml.ts";

/** One thing wrong with a text, and where. Lines and columns are 1-based. */
export interface Problem {
  severity: "error" | "warning";
  /** Dotted, for example `spec.http.0.url`; empty for the document as a whole. */
  path: string;
  message: string;
  line: number;
  column: number;
  /** Which document of the text, from 0. */
  document: number;
  file?: string;
}

/** A document without errors. With `labels`, `annotations` and `namespace` filled in, it is what `checksOf` takes. */
export interface CanaryDocument extends CanaryParts {
  /** Which document of the text, from 0. */
  index: number;
  file?: string;
  /** Empty for a bare spec without a given name. */
  name: string;
  uid?: string;
  /** As it was written; a bare spec has only what was given beside the text. */
  metadata: Partial<CanaryMetadata>;
  /** Keys of check types that are kept and not run. */
  unsupportedTypes: string[];
  /** Where the document begins. */
  line: number;
}

export interface ParseOptions {
  file?: string;
  /** Each document is a spec alone, as the console edits and stores it. */
  bare?: boolean;
  /** Name and namespace of a bare spec, which has none of its own. */
  name?: string;
  namespace?: string;
  limits?: Partial<TextLimits>;
}

export interface Parsed {
  documents: CanaryDocument[];
  problems: Problem[];
}

export const defaultNamespace = "default";

const dotted = (path: readonly (string | number)[]) => path.join(".");

/** What the reader of the text itself complains about, as one sentence. */
const sentence = (message: string) => {
  const first = (message.split("\n")[0] as string).trim();
  return /[.!?]$/.test(first) ? first : `${first}.`;
};

/**
 * Reads Canary documents from YAML or JSON. Every problem is reported, each with its place; a document with an error is
 * not among the documents.
 */
export function parseCanaryDocuments(text: string, options: ParseOptions = {}): Parsed {
  const { documents: found, lines, refused } = readYaml(text, { ...textLimits, ...options.limits });
  const file = options.file === undefined ? {} : { file: options.file };
  const problems: Problem[] = refused.map(({ severity, path, message, line, column }) => ({
    severity,
    path: dotted(path),
    message,
    line,
    column,
    document: 0,
    ...file,
  }));
  const documents: CanaryDocument[] = [];

  for (const [index, document] of found.entries()) {
    const report = (finding: Finding, place: { line: number; column: number }) => {
      const { severity, message } = finding;
      problems.push({
        severity,
        path: dotted(finding.path),
        message,
        ...place,
        document: index,
        ...file,
      });
    };
    const outcome = readDocument(document, lines, options, report);
    if (outcome) documents.push({ index, ...file, ...outcome });
  }
  if (found.length === 0 && refused.length === 0) {
    problems.push({
      severity: "error",
      path: "",
      message: "The text holds no document.",
      line: 1,
      column: 1,
      document: 0,
      ...file,
    });
  }
  return { documents, problems };
}

type Report = (finding: Finding, place: { line: number; column: number }) => void;

function readDocument(
  document: Document.Parsed,
  lines: LineCounter,
  options: ParseOptions,
  report: Report,
): Omit<CanaryDocument, "index" | "file"> | undefined {
  for (const error of document.errors.slice(0, mostFindings)) {
    report(
      { severity: "error", path: [], message: sentence(error.message) },
      placeAt(lines, error.pos[0]),
    );
  }
  for (const warning of document.warnings) {
    report(
      { severity: "warning", path: [], message: sentence(warning.message) },
      placeAt(lines, warning.pos[0]),
    );
  }
  const { targets, cyclic } = findTargets(document);
  const lost = [...targets].filter(([, target]) => !target).map(([alias]) => alias);
  for (const [aliases, why] of [
    [lost, "names nothing that comes before it"],
    [cyclic, "would be a part of itself"],
  ] as const) {
    for (const { source, range } of aliases.slice(0, mostFindings)) {
      report(
        { severity: "error", path: [], message: `The alias *${source} ${why}.` },
        placeAt(lines, range?.[0] ?? 0),
      );
    }
  }
  if (document.errors.length + lost.length + cyclic.length > 0) return undefined;
  // Nothing between two separators, or comments only.
  if (document.contents === null) return undefined;

  const placing = { document, lines, targets };
  const start = placeOf(placing, []);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: options.limits?.aliases ?? textLimits.aliases });
  } catch (error) {
    report(
      {
        severity: "error",
        path: [],
        message: `The document cannot be read: ${sentence((error as Error).message)}`,
      },
      start,
    );
    return undefined;
  }
  if (value === null) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) {
    report(
      {
        severity: "error",
        path: [],
        message: "Expected a mapping with apiVersion, kind, metadata and spec.",
      },
      start,
    );
    return undefined;
  }

  const bare = options.bare === true;
  const checked = bare ? checkCanarySpec(value) : checkCanary(value);
  for (const finding of checked.findings) {
    report(finding, placeOf(placing, finding.path, finding.atKey));
  }
  if (checked.value === undefined) return undefined;
  const written = value as Record<string, unknown>;
  const { metadata, spec } = bare
    ? { metadata: {} as Partial<CanaryMetadata>, spec: checked.value as CanarySpec }
    : (checked.value as { metadata: CanaryMetadata; spec: CanarySpec });
  const source = (bare ? written : written.spec) as Record<string, unknown>;
  return {
    name: metadata.name ?? options.name ?? "",
    namespace: metadata.namespace ?? options.namespace ?? defaultNamespace,
    uid: metadata.uid,
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    metadata,
    spec,
    source,
    unsupportedTypes: unsupportedCheckTypes.filter((type) => source[type] !== undefined),
    line: start.line,
  };
}

/**
 * Finds the places of issues in a text that was sent (a JSON body, or YAML). A path is a list of keys, or dotted; dots
 * inside keys are understood. A path that leads nowhere is placed at the deepest part that exists. Of a text with several
 * documents an issue says which one is meant, from 0.
 */
export function locateIssues<
  Issue extends { path: string | readonly (string | number)[]; document?: number },
>(text: string, issues: readonly Issue[]): (Issue & { line: number; column: number })[] {
  const { documents, lines } = readYaml(
    text,
    { ...textLimits, size: 16 * textLimits.size, entries: Number.POSITIVE_INFINITY },
    false,
  );
  const placings = documents.map((document) => ({
    document,
    lines,
    targets: findTargets(document).targets,
  }));
  return issues.map((issue) => {
    const placing = placings[issue.document ?? 0];
    if (!placing) return { ...issue, line: 1, column: 1 };
    const steps = typeof issue.path === "string" ? stepsOf(placing, issue.path) : issue.path;
    return { ...issue, ...placeOf(placing, steps) };
  });
}
