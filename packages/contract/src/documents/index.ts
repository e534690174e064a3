export {
  judgeDocument,
  judgeSpec,
  type DocumentFormat,
  type WrittenSpec,
  isCalled,
} from "./document-format.ts";
export { type Checked, type Finding } from "./findings.ts";
export { type JsonSchema, jsonSchemaOf } from "./json-schema.ts";
export {
  defaultNamespace,
  documentEnvelope,
  documentMetadata,
  type DocumentMetadata,
} from "./metadata.ts";
export {
  locateIssues,
  type ParsedDocument,
  parseDocuments,
  parseSpec,
  type Problem,
} from "./parse-documents.ts";
export { joinDocuments } from "./document-texts.ts";
export { textLimits } from "./read-yaml.ts";
export { findTwins, type Twins } from "./find-twins.ts";
export * from "./saved-documents.ts";
export { findTooDeep, tooDeepMessage } from "./too-deep.ts";
