import { type Document, type LineCounter } from "yaml";
import {
  type DocumentFormat,
  judgeDocument,
  judgeSpec,
  type WrittenSpec,
} from "./document-format.ts";
import { type Finding, mostFindings } from "./findings.ts";
import { defaultNamespace, type DocumentMetadata } from "./metadata.ts";
import { splitDocuments } from "./document-texts.ts";
import { findTargets, placeAt, placeOf, stepsOf } from "./places.ts";
import { findTooDeep, tooDeepMessage } from "./too-deep.ts";
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
  /** The document is of a kind that is kept elsewhere; nothing became of it. */
  isSkipped?: true;
}

/** A document without errors. */
export interface ParsedDocument<Spec = unknown> {
  format: DocumentFormat<Spec>;
  /** Which document of the text, from 0. */
  index: number;
  file?: string;
  /** Empty for a bare spec without a given name. */
  name: string;
  namespace: string;
  uid?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** As it was written; a bare spec has only what was given beside the text. */
  metadata: Partial<DocumentMetadata>;
  /** Validated. */
  spec: Spec;
  /** The spec as it was written. */
  source: WrittenSpec;
  /** The part of the text that the document is. */
  text: string;
  /** Where the document begins. */
  line: number;
}

interface TextOptions {
  file?: string;
  limits?: Partial<TextLimits>;
}

export interface Parsed<Spec = unknown> {
  documents: ParsedDocument<Spec>[];
  problems: Problem[];
}

/** How one value of a text becomes a document. */
type Reader<Spec> = (
  value: Record<string, unknown>,
) =>
  | { findings: Finding[]; isSkipped?: true }
  | { findings: Finding[]; read: Omit<ParsedDocument<Spec>, "index" | "file" | "text" | "line"> };

/**
 * Reads documents of these kinds from YAML or JSON. Every problem is reported, each with its place; a document with an
 * error is not among the documents. One of another kind, as files for Kubernetes hold beside ours, is skipped with a
 * warning (`isSkipped`).
 */
export function parseDocuments<Spec>(
  text: string,
  { formats, ...options }: TextOptions & { formats: readonly DocumentFormat<Spec>[] },
): Parsed<Spec> {
  return parseText(text, options, (value) => {
    const format = formats.find(({ kind }) => kind === value.kind);
    if (!format) return judgeKind(value, formats);
    const { findings, value: read } = judgeDocument(format, value);
    if (!read) return { findings };
    const { metadata, spec } = read;
    return {
      findings,
      read: {
        format,
        ...partsOf(metadata, { name: metadata.name, namespace: defaultNamespace }),
        spec,
        source: value.spec as WrittenSpec,
      },
    };
  });
}

/** Reads specs alone, as the console edits and rows hold them; name and namespace are given beside the text. */
export function parseSpec<Spec>(
  text: string,
  format: DocumentFormat<Spec>,
  {
    name = "",
    namespace = defaultNamespace,
    ...options
  }: TextOptions & { name?: string; namespace?: string } = {},
): Parsed<Spec> {
  return parseText(text, options, (source) => {
    const { findings, value: spec } = judgeSpec(format, source);
    if (spec === undefined) return { findings };
    return { findings, read: { format, ...partsOf({}, { name, namespace }), spec, source } };
  });
}

const partsOf = (
  metadata: Partial<DocumentMetadata>,
  given: { name: string; namespace: string },
) => ({
  name: given.name,
  namespace: metadata.namespace ?? given.namespace,
  uid: metadata.uid,
  labels: metadata.labels ?? {},
  annotations: metadata.annotations ?? {},
  metadata,
});

/** Kinds of the family that may stand beside ours; any other name under its versions is a slip. */
const familyKinds = new Set(
  "Canary Topology Component ScrapeConfig ScrapePlugin Playbook Notification NotificationSilence Connection IncidentRule Permission PermissionGroup Scope View Application".split(
    " ",
  ),
);
/** What kinds were called before, and are called now. */
const formerKinds: Readonly<Record<string, string>> = {
  Config: "ScrapeConfig",
  SystemTemplate: "Topology",
};
const familyVersion = /^(canaries|configs|mission-control)\.flanksource\.com\//;

function judgeKind(
  { kind, apiVersion }: Record<string, unknown>,
  formats: readonly DocumentFormat[],
): { findings: Finding[]; isSkipped?: true } {
  const names = formats.map((format) => format.kind);
  const known = `Expected ${names.length === 1 ? "" : "one of "}${names.join(", ")}.`;
  if (kind === undefined)
    return {
      findings: [{ severity: "error", path: [], message: `"kind" is missing. ${known}` }],
    };
  const isOurs =
    formats.some(({ apiVersions }) => apiVersions.some((version) => version === apiVersion)) ||
    (typeof apiVersion === "string" && familyVersion.test(apiVersion));
  if (typeof kind !== "string" || (isOurs && !familyKinds.has(kind))) {
    const now = typeof kind === "string" && Object.hasOwn(formerKinds, kind) && formerKinds[kind];
    const message = now ? `${kind} is called ${now} now: write kind: ${now}.` : known;
    return { findings: [{ severity: "error", path: ["kind"], message }] };
  }
  const message = `A document of kind ${kind.slice(0, 64)} is not kept here and was skipped. ${known}`;
  return { findings: [{ severity: "warning", path: ["kind"], message }], isSkipped: true };
}

const dotted = (path: readonly (string | number)[]) => path.join(".");

/** What the reader of the text itself complains about, as one sentence. */
const sentence = (message: string) => {
  const first = (message.split("\n")[0] as string).trim();
  return /[.!?]$/.test(first) ? first : `${first}.`;
};

function parseText<Spec>(text: string, options: TextOptions, read: Reader<Spec>): Parsed<Spec> {
  const limits = { ...textLimits, ...options.limits };
  const { documents: found, tokens, lines, refused } = readYaml(text, limits);
  const texts = splitDocuments(text, tokens);
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
  const documents: ParsedDocument<Spec>[] = [];

  for (const [index, document] of found.entries()) {
    const report: Report = (finding, place, isSkipped) => {
      const { severity, message } = finding;
      problems.push({
        severity,
        path: dotted(finding.path),
        message,
        ...place,
        document: index,
        ...file,
        ...(isSkipped && { isSkipped }),
      });
    };
    const outcome = readDocument({ document, lines, options, report, read });
    if (outcome) documents.push({ index, ...file, text: texts[index] ?? "", ...outcome });
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

type Report = (finding: Finding, place: { line: number; column: number }, isSkipped?: true) => void;

function readDocument<Spec>({
  document,
  lines,
  options,
  report,
  read,
}: {
  document: Document.Parsed;
  lines: LineCounter;
  options: TextOptions;
  report: Report;
  read: Reader<Spec>;
}): Omit<ParsedDocument<Spec>, "index" | "file" | "text"> | undefined {
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

  const { depth } = { ...textLimits, ...options.limits };
  // What aliases stand for may lie deeper than anything that is written.
  const tooDeep = findTooDeep(value, depth);
  if (tooDeep) {
    report(
      { severity: "error", path: tooDeep, message: tooDeepMessage(depth) },
      placeOf(placing, tooDeep),
    );
    return undefined;
  }
  const outcome = read(value as Record<string, unknown>);
  const isSkipped = "isSkipped" in outcome ? outcome.isSkipped : undefined;
  for (const finding of outcome.findings) {
    report(finding, placeOf(placing, finding.path, finding.atKey), isSkipped);
  }
  return "read" in outcome ? { ...outcome.read, line: start.line } : undefined;
}

/**
 * Finds the places of issues in a text that was sent (a JSON body, or YAML). A path is a list of keys, or dotted; dots
 * inside keys are understood. A path that leads nowhere is placed at the deepest part that exists. Of a text with several
 * documents an issue says which one is meant, from 0.
 */
export function locateIssues<
  Issue extends { path: string | readonly (string | number)[]; document?: number },
>(text: string, issues: readonly Issue[]): (Issue & { line: number; column: number })[] {
  const { documents, lines } = readYaml(text, {
    ...textLimits,
    size: 16 * textLimits.size,
    entries: Number.POSITIVE_INFINITY,
  });
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
