import { isDeepStrictEqual } from "node:util";
import type { Document } from "yaml";
import {
  isKeptInConsole,
  mapSecrets,
  secretPlaceholder,
  type WrittenDocument,
  type WrittenSpec,
} from "@mainstay/contract";
import { type DocumentKind, type DocumentRow, sourceOf, toDocument } from "../document-kind.ts";
import type { KeptText } from "./kept-texts.ts";
import { countSecrets, maskComments } from "./mask-comments.ts";
import { readOne, rewriteYaml, valueOf } from "@mainstay/contract/documents/text/rewrite-yaml.ts";
import { writeDocument } from "./write-document.ts";

/*
 * The text of a document: as somebody wrote it, and meaning its row exactly. The row is what is true; a text that says
 * something else is brought to say the same, and one that cannot be brought to it is written anew.
 */

type Json = Record<string, unknown>;

export interface TextOptions {
  /** As documents are compared: whether one names its id makes no difference. */
  withoutUid?: boolean;
}

/** The text of a row; `written` is the one that somebody wrote for it, whatever it was at that time. */
export function textOf<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  row: Row,
  written: string | undefined,
  { withoutUid = false }: TextOptions = {},
): string {
  const document = toDocument(kind, row);
  if (withoutUid) delete document.metadata.uid;
  const parsed = written === undefined ? undefined : readOne(written);
  const target = parsed && targetOf(kind, parsed, document);
  const text = target && rewriteYaml(written!, target, parsed);
  return text ?? writeDocument(kind.format, document);
}

/** The text of a row as it is shown. */
export const shownText = <Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  row: Row,
  kept: KeptText | undefined,
): string => (kept?.is_current ? kept.text : textOf(kind, row, kept?.text));

/**
 * What a document was when its source applied it last, where it has drifted: it is kept elsewhere, and somebody has
 * changed the row since. Nothing where it has not, or where that is not known.
 */
export function driftedFrom<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  row: Row,
  kept: Pick<KeptText, "text"> | undefined,
  /** Its text as it is now, where that is known. */
  shown?: string,
): string | undefined {
  if (!kept || isKeptInConsole(sourceOf(kind, row))) return undefined;
  return (shown ?? textOf(kind, row, kept.text)) === kept.text ? undefined : kept.text;
}

/**
 * The text to keep of a document that was saved as this row. It holds no secret: neither where the row has a placeholder
 * nor in a comment. `secrets` are those that the document wrote out (`hiddenIn`).
 */
export function textToKeep<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  row: Row,
  { written, secrets }: { written: string | undefined; secrets: readonly string[] },
): string {
  const kept = textOf(kind, row, written);
  if (countSecrets(kept, secrets) === 0) return kept;
  // Of the same row and in nobody's words: as often as here the row itself says them.
  const plain = writeDocument(kind.format, toDocument(kind, row));
  const most = countSecrets(plain, secrets);
  const masked = maskComments(kept, secrets);
  return countSecrets(masked, secrets) > most ? plain : masked;
}

/** JSON is what programs write, and nobody reads: it has no text. */
export function isJson(text: string): boolean {
  if (!/^\s*\{/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What the text is to say so that it means the document: in its own words, where those mean the same. */
function targetOf<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  parsed: Document,
  document: WrittenDocument,
): Json | undefined {
  const raw = valueOf(parsed);
  if (!isObject(raw)) return undefined;
  const { apiVersion } = raw;
  const said = isObject(raw.metadata) ? raw.metadata : {};
  const { namespace, labels, annotations, ...metadata } = document.metadata;
  const isDefault = said.namespace === undefined && namespace === "default";
  return {
    apiVersion: kind.format.apiVersions.some((version) => version === apiVersion)
      ? apiVersion
      : document.apiVersion,
    kind: document.kind,
    metadata: {
      ...metadata,
      ...(!isDefault && namespace !== undefined && { namespace }),
      ...mapping("labels", said.labels, labels),
      ...mapping("annotations", said.annotations, annotations),
    },
    spec: specOf(kind, isObject(raw.spec) ? raw.spec : {}, document.spec),
  };
}

/** Labels may be written as numbers, and an empty mapping says nothing. */
function mapping(name: string, said: unknown, meant: Readonly<Record<string, string>> = {}): Json {
  const own = isObject(said) ? said : {};
  const words = Object.entries(meant).map(([key, value]) => [
    key,
    Object.hasOwn(own, key) && isText(own[key]) && String(own[key]) === value ? own[key] : value,
  ]);
  if (words.length > 0) return { [name]: Object.fromEntries(words) as Json };
  return isObject(said) && Object.keys(said).length === 0 ? { [name]: {} } : {};
}

const isText = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);

/** The spec as it was written, where that means what the row means; else as the kind writes it. */
function specOf<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  written: WrittenSpec,
  spec: WrittenSpec,
): WrittenSpec {
  const { format } = kind;
  const meant = shown(kind, spec);
  const isMeant = (each: WrittenSpec) => isDeepStrictEqual(shown(kind, each), meant);
  const hidden = kind.write ? undefined : format.mapSecrets?.(written, () => secretPlaceholder);
  if (hidden && isMeant(hidden)) return hidden;
  const masked = withoutNamed(withoutValues(written, secretsIn(kind, written)));
  return isMeant(masked) ? masked : spec;
}

/** What no kind reads is no secret of the row; what it is called tells. */
const withoutNamed = (
  written: WrittenSpec,
  found: (value: unknown) => void = () => undefined,
): WrittenSpec =>
  mapSecrets({ schema: {}, value: written, destinationAt: () => undefined }, ({ value }) => {
    found(value);
    return secretPlaceholder;
  }) as WrittenSpec;

/**
 * What must be in no word of a text: the secrets that a spec writes out, and what it writes in fields that are called as
 * secrets are and that nobody reads, such as a misspelt `passwordd`; of those of several lines their long values, too. That is what somebody meant to hide, and a comment
 * may repeat it, as a line that was commented out does. A comment beside it that says something else stays: it is
 * somebody's words, as it is beside a secret that is spelt well, and which of them is a secret nobody can know.
 */
export function hiddenIn<Row extends DocumentRow>(
  kind: Pick<DocumentKind<Row>, "format" | "normalise">,
  written: WrittenSpec,
): string[] {
  const found = new Set(secretsIn(kind, written));
  withoutNamed(written, (value) => {
    if (value !== secretPlaceholder) found.add(String(value));
  });
  return [...found, ...Array.from(found, valuesIn).flat()];
}

/** Shorter ones of a text of several lines, such as a kubeconfig, stand in other texts as well. */
const longValue = /[\w+/.~-]{16,}/g;
/** What a key is followed by, and padding is not. */
const followsKey = /^(?:["']?[ \t]*:|[ \t]*=[ \t]*[^=\s"',;}])/;
/** Of larger texts each takes long to look for. */
const mostValues = 2_000;

/** The long values within a secret that is a document or a file by itself: without their keys, quotes and addresses. */
function valuesIn(secret: string): string[] {
  if (!/^\s*\{|\n\s*\S/.test(secret)) return [];
  const found = new Set<string>();
  for (const { 0: value, index } of secret.matchAll(longValue)) {
    const isKey = followsKey.test(secret.slice(index + value.length, index + value.length + 16));
    if (!isKey && !value.startsWith("//")) found.add(value);
    if (found.size === mostValues) break;
  }
  return [...found];
}

/** What a spec means, with placeholders. */
function shown<Row extends DocumentRow>(
  { format, normalise }: DocumentKind<Row>,
  written: WrittenSpec,
): unknown {
  const spec = normalise ? normalise(written) : written;
  return asJson(format.mapSecrets?.(spec, () => secretPlaceholder) ?? spec);
}

/** The secrets that a spec writes out. */
export function secretsIn<Row extends DocumentRow>(
  { format, normalise }: Pick<DocumentKind<Row>, "format" | "normalise">,
  written: WrittenSpec,
): string[] {
  const found = new Set<string>();
  format.mapSecrets?.(normalise ? normalise(written) : written, ({ value }) => {
    if (value !== secretPlaceholder) found.add(String(value));
    return secretPlaceholder;
  });
  return [...found].filter((value) => value !== "");
}

/** A value with placeholders for what it holds of these texts. */
function withoutValues<Value>(value: Value, secrets: readonly string[]): Value {
  const hide = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(hide);
    if (isObject(inner))
      return Object.fromEntries(Object.entries(inner).map(([key, one]) => [key, hide(one)]));
    if (!isText(inner)) return inner;
    if (secrets.includes(String(inner))) return secretPlaceholder;
    if (typeof inner !== "string" || !inner.includes("://")) return inner;
    return secrets.reduce((text, secret) => text.replaceAll(secret, secretPlaceholder), inner);
  };
  return hide(value) as Value;
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
