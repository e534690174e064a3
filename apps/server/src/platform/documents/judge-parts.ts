import {
  type DocumentFormat,
  type DocumentMetadata,
  findTooDeep,
  judgeDocument,
  textLimits,
  tooDeepMessage,
} from "@mainstay/contract";
import type { KeyedIssue } from "../http/refuse-places.ts";
import type { DocumentParts } from "./document-kind.ts";

export type JudgedRow<Spec> =
  | { issues: KeyedIssue[] }
  | { issues?: undefined; metadata: DocumentMetadata; spec: Spec };

/** Judges a document that comes as a row; paths begin with a part, as most rows have a column for each. */
export function judgeParts<Spec>(
  format: DocumentFormat<Spec>,
  { name, namespace, labels, annotations, spec }: DocumentParts,
): JudgedRow<Spec> {
  const tooDeep = findTooDeep(spec, textLimits.depth);
  if (tooDeep) {
    const message = tooDeepMessage(textLimits.depth);
    return { issues: [{ path: ["spec", ...tooDeep], message }] };
  }
  const { value, findings } = judgeDocument(format, {
    apiVersion: format.apiVersions[0],
    kind: format.kind,
    metadata: {
      name,
      namespace,
      labels: labels ?? undefined,
      annotations: annotations ?? undefined,
    },
    spec,
  });
  if (value) return value;
  const errors = findings.filter(({ severity }) => severity === "error");
  return {
    issues: errors.map(({ path, message }) => ({
      path: path[0] === "metadata" ? path.slice(1) : path,
      message,
    })),
  };
}
