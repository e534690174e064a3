import { emptySourced, type SourcedValue } from "@mainstay/ui/fields/SourcedField.tsx";

/** A value as a column or a property holds it: itself, or where it stands. */

const reference = /^(secret|configmap):\/\/([^/]*)\/(.*)$/s;

export function sourcedOf(text: string): SourcedValue {
  const [, from, name = "", key = ""] = reference.exec(text) ?? [];
  return from === "secret" || from === "configmap"
    ? { ...emptySourced, from, name, key }
    : { ...emptySourced, value: text };
}

/** Empty where nothing was written, and where a name or a key is missing: both make a value. */
export function sourcedText({ from, value, name, key }: SourcedValue): string {
  if (from === "static") return value;
  return name.trim() === "" || key.trim() === "" ? "" : `${from}://${name.trim()}/${key.trim()}`;
}

/** Something is begun that is no value yet. */
export const isHalfSourced = (value: SourcedValue): boolean =>
  value.from !== "static" &&
  sourcedText(value) === "" &&
  (value.name.trim() !== "" || value.key.trim() !== "");
