import { useMemo } from "react";
import type { DocumentFormat } from "@mainstay/contract/documents/document-format.ts";
import { parseDocuments } from "@mainstay/contract/documents/parse-documents.ts";
import { requiredText } from "@mainstay/ui/fields/check-field.ts";
import type { Edit, Path, SchemaForm } from "@mainstay/ui/schema-form/form-context.ts";
import { toastFailed } from "@mainstay/ui/toasts.ts";
import { editYaml } from "@mainstay/contract/documents/text/edit-yaml.ts";
import { messageOf } from "../../api-error.ts";
import type { TextFormProps } from "../document-kinds.ts";

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], value);

/** What a form makes of a text. */
export interface TextForm<Read> extends Pick<SchemaForm, "own" | "suggestionsAt"> {
  format: DocumentFormat;
  /** What is in the text; nothing where it cannot be read. */
  read: (text: string) => Read | null;
}

/** A text of documents as forms see it: what is in it, what is wrong with it, and how single values of it change. */
export function useTextForm<Read extends { values: readonly unknown[] }>(
  { text, onChange, readOnly, isTried, refused }: TextFormProps,
  { format, read: readText, own, suggestionsAt }: TextForm<Read>,
) {
  const read = useMemo(() => readText(text), [readText, text]);
  const problems = useMemo(() => {
    const found = parseDocuments(text, { formats: [format] }).problems;
    const errors = found.filter(({ severity }) => severity === "error").toReversed();
    return new Map(errors.map(({ document, path, message }) => [`${document} ${path}`, message]));
  }, [format, text]);

  /** Whether the edits could be made; what the text became is told, too. */
  const apply = (
    document: number,
    edits: readonly Edit[],
    keepSteps: number,
    onMade?: (made: string) => void,
  ): boolean => {
    try {
      const made = edits.reduce(
        (before, one) => editYaml(before, { ...one, document, keepSteps }),
        text,
      );
      onMade?.(made);
      onChange(made);
      return true;
    } catch (error) {
      toastFailed(messageOf(error));
      return false;
    }
  };
  /** What is wrong at a place; what is missing is told once it was asked for. */
  const errorAt = (document: number, at: Path): string | undefined => {
    const path = at.join(".");
    const message = problems.get(`${document} ${path}`);
    if (message === undefined)
      return read?.values.length === 1
        ? refused?.find((one) => one.path === path)?.message
        : undefined;
    const value = valueAt(read?.values[document], at);
    if (value === undefined || value === null) return isTried ? requiredText : undefined;
    return value === "" ? requiredText : message;
  };
  /** Whether something is wrong at a place or deeper, be it told there or not. */
  const isWrongWithin = (document: number, at: Path): boolean => {
    const place = `${document} ${at.join(".")}`;
    return [...problems.keys()].some((one) => one === place || one.startsWith(`${place}.`));
  };
  /** `keepSteps`: how much of the way to a value stays when it is removed. */
  const formOf = (document: number, keepSteps: number): SchemaForm => ({
    onEdit: (edits) => void apply(document, edits, keepSteps),
    errorAt: (at) => errorAt(document, at),
    readOnly,
    own,
    suggestionsAt,
  });
  return { read, apply, errorAt, formOf, isWrongWithin };
}
