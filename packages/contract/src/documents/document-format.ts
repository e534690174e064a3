import type { z } from "zod";
import type { Resource } from "../permissions.ts";
import type { SecretPlace } from "../secrets/map-secrets.ts";
import type { CodeFinding } from "../server-code.ts";
import { type Checked, checkValue, type Finding } from "./findings.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import type { DocumentMetadata } from "./metadata.ts";
import type { WrittenDocument } from "./saved-documents.ts";

export type WrittenSpec = Record<string, unknown>;

/** A kind of document, as the server, the command line and the console know it alike. */
export interface DocumentFormat<Spec = unknown> {
  /** As documents write it: `Canary`. */
  readonly kind: string;
  /** The same as people type it in addresses and commands: `canary`, `canaries`. */
  readonly name: string;
  readonly plural: string;
  /** The first is written; all are read. */
  readonly apiVersions: readonly [string, ...string[]];
  /** Row of the permission matrix. */
  readonly resource: Resource;
  readonly envelope: z.ZodType<{ metadata: DocumentMetadata; spec: Spec }>;
  readonly spec: z.ZodType<Spec>;
  /** What the schema cannot say, of a document that it accepts; paths lead from the document on. */
  judge?(parts: JudgedParts<Spec>): Finding[];
  /** What of a spec, as it was written, reaches into the server's machine. */
  codeIn?(source: WrittenSpec): CodeFinding[];
  /** The spec with every secret in it exchanged; nothing when the kind holds none. */
  mapSecrets?(source: WrittenSpec, replace: (place: SecretPlace) => unknown): WrittenSpec;
  /** Further columns of `mainstay get`, by title. */
  readonly listed?: Readonly<Record<string, (document: WrittenDocument) => string>>;
}

/** Whether a word means the kind: `Canary`, `canary` or `canaries`. */
export const isCalled = (
  { kind, name, plural }: Pick<DocumentFormat, "kind" | "name" | "plural">,
  word: string,
): boolean => [kind, name, plural].some((text) => text.toLowerCase() === word.toLowerCase());

/** A document that its schema has accepted. */
export interface JudgedParts<Spec> {
  metadata: Partial<DocumentMetadata>;
  spec: Spec;
  /** The spec as it was written. */
  source: WrittenSpec;
}

/** Judges a whole document, already read from its text. */
export function judgeDocument<Spec>(
  format: DocumentFormat<Spec>,
  value: unknown,
): Checked<{ metadata: DocumentMetadata; spec: Spec }> {
  const checked = checkValue(format.envelope, jsonSchemaOf(format.envelope), value);
  if (!checked.value || !format.judge) return checked;
  const source = (value as { spec: WrittenSpec }).spec;
  return withJudgement(checked, format.judge({ ...checked.value, source }));
}

/** Judges a bare spec, as a row holds it. */
export function judgeSpec<Spec>(format: DocumentFormat<Spec>, value: unknown): Checked<Spec> {
  const checked = checkValue(format.spec, jsonSchemaOf(format.spec), value);
  if (!checked.value || !format.judge) return checked;
  const found = format.judge({ metadata: {}, spec: checked.value, source: value as WrittenSpec });
  // Nothing of the envelope is there to be wrong.
  return withJudgement(
    checked,
    found.map((finding) => ({ ...finding, path: finding.path.slice(1) })),
  );
}

function withJudgement<Value>(checked: Checked<Value>, found: readonly Finding[]): Checked<Value> {
  const isRefused = found.some(({ severity }) => severity === "error");
  return {
    value: isRefused ? undefined : checked.value,
    findings: [...found, ...checked.findings],
  };
}
