import {
  type Parsed,
  type ParsedDocument,
  parseDocuments,
  parseSpec,
} from "../documents/parse-documents.ts";
import type { TextLimits } from "../documents/read-yaml.ts";
import { canaryFormat } from "./canary-format.ts";
import type { CanarySpec } from "./canary-spec.ts";

/** What `checksOf` takes. */
export type CanaryDocument = ParsedDocument<CanarySpec>;

interface ParseOptions {
  file?: string;
  /** Each document is a spec alone, as the console edits and stores it. */
  bare?: boolean;
  /** Name and namespace of a bare spec, which has none of its own. */
  name?: string;
  namespace?: string;
  limits?: Partial<TextLimits>;
}

/** Reads Canary documents from YAML or JSON. */
export const parseCanaryDocuments = (
  text: string,
  { bare = false, ...options }: ParseOptions = {},
): Parsed<CanarySpec> =>
  bare
    ? parseSpec(text, canaryFormat, options)
    : parseDocuments(text, { ...options, formats: [canaryFormat] });
