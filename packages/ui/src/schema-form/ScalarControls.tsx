import { type ComponentProps, useId, useState } from "react";
import { parse, stringify } from "yaml";
import { checkNumber, parseNumber } from "../fields/check-field.ts";
import { SelectField } from "../fields/ChoiceFields.tsx";
import { NumberField } from "../fields/NumberField.tsx";
import { TextAreaField, TextField } from "../fields/TextField.tsx";
import { type ControlProps, useFieldText, useSchemaForm } from "./form-context.ts";
import type { Control } from "./schema-fields.ts";

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";

/** A text box with what is often written there; anything else may be. */
function SuggestingField({
  suggestions,
  ...props
}: ComponentProps<typeof TextField> & { suggestions: readonly string[] }) {
  const listId = useId();
  if (suggestions.length === 0) return <TextField {...props} />;
  return (
    <>
      <TextField {...props} list={listId} />
      <datalist id={listId}>
        {suggestions.map((text) => (
          <option key={text} value={text}>
            {text}
          </option>
        ))}
      </datalist>
    </>
  );
}

export function TextControl({ isMultiline, ...props }: ControlProps & { isMultiline: boolean }) {
  const { onEdit, readOnly, suggestionsAt } = useSchemaForm();
  const field = useFieldText(props);
  const { path, value } = props;
  const text = textOf(value);
  // One line would lose the others; a field that has had several does not become another while it is typed in.
  const [hasLines, setHasLines] = useState(isMultiline);
  if (!hasLines && text.includes("\n")) setHasLines(true);
  const common = {
    ...field,
    value: text,
    readOnly,
    spellCheck: false,
    onChange: (next: string) => onEdit([{ path, value: next === "" ? undefined : next }]),
  };
  return hasLines ? (
    <TextAreaField
      {...common}
      isCode
      rows={Math.min(12, Math.max(2, common.value.split("\n").length + 1))}
    />
  ) : (
    <SuggestingField {...common} autoComplete="off" suggestions={suggestionsAt(path)} />
  );
}

/** Text that stays as it was typed while it is nothing that can be written. */
function useTyped(written: string) {
  const [typed, setTyped] = useState<{ text: string; over: string } | null>(null);
  return {
    text: typed?.over === written ? typed.text : written,
    type: (text: string) => setTyped({ text, over: written }),
    forget: () => setTyped(null),
  };
}

export function NumberControl({
  control,
  ...props
}: ControlProps & { control: Extract<Control, { kind: "number" }> }) {
  const { onEdit, readOnly } = useSchemaForm();
  const field = useFieldText(props);
  const { path, value } = props;
  const { text, type, forget } = useTyped(textOf(value));
  const { isWhole, min, max } = control;
  const wrong = checkNumber(text, {
    whole: isWhole,
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
  });
  return (
    <NumberField
      {...field}
      error={wrong ?? field.error}
      value={text}
      readOnly={readOnly}
      onChange={(next) => {
        const number = parseNumber(next);
        if (number === undefined && next.trim() !== "") return type(next);
        forget();
        // `1.` and `1e3` are on their way to something.
        if (number !== undefined && String(number) !== next) type(next);
        else onEdit([{ path, value: number }]);
      }}
      onBlur={() => {
        const number = parseNumber(text);
        if (number === undefined || number === value) return;
        forget();
        onEdit([{ path, value: number }]);
      }}
    />
  );
}

/** A number where it reads as one, unless a text stood there. */
export function ScalarControl(props: ControlProps) {
  const { onEdit, readOnly, suggestionsAt } = useSchemaForm();
  const field = useFieldText(props);
  const { path, value } = props;
  return (
    <SuggestingField
      {...field}
      suggestions={suggestionsAt(path)}
      value={textOf(value)}
      readOnly={readOnly}
      autoComplete="off"
      spellCheck={false}
      onChange={(text) => {
        const number = parseNumber(text);
        const isNumber =
          typeof value !== "string" && number !== undefined && String(number) === text;
        onEdit([{ path, value: text === "" ? undefined : isNumber ? number : text }]);
      }}
    />
  );
}

/** Written as yes or no, or not at all: what that means the program says. */
export function BooleanControl(props: ControlProps) {
  const { onEdit, readOnly } = useSchemaForm();
  const field = useFieldText(props);
  const { path, value } = props;
  return (
    <SelectField
      {...field}
      value={typeof value === "boolean" ? String(value) : ""}
      placeholder="Not set"
      options={[
        { value: "true", label: "Yes" },
        { value: "false", label: "No" },
      ]}
      disabled={readOnly}
      onChange={(text) => onEdit([{ path, value: text === "" ? undefined : text === "true" }])}
    />
  );
}

export function ChoiceControl({
  options,
  ...props
}: ControlProps & { options: readonly string[] }) {
  const { onEdit, readOnly } = useSchemaForm();
  const field = useFieldText(props);
  const { path, value } = props;
  const text = textOf(value);
  const all = text === "" || options.includes(text) ? options : [...options, text];
  return (
    <SelectField
      {...field}
      value={text}
      placeholder="Not set"
      options={all.map((option) => ({ value: option, label: option }))}
      disabled={readOnly}
      onChange={(chosen) => onEdit([{ path, value: chosen === "" ? undefined : chosen }])}
    />
  );
}

/** Anything, as YAML. It is taken over when the field is left. */
export function YamlControl(props: ControlProps) {
  const { onEdit, readOnly } = useSchemaForm();
  const field = useFieldText(props);
  const { path, value } = props;
  const written = value === undefined ? "" : stringify(value, { lineWidth: 0 }).trimEnd();
  const { text, type, forget } = useTyped(written);
  const [wrong, setWrong] = useState<string>();
  return (
    <TextAreaField
      {...field}
      error={wrong ?? field.error}
      isCode
      rows={Math.min(8, Math.max(2, text.split("\n").length))}
      value={text}
      readOnly={readOnly}
      spellCheck={false}
      onChange={type}
      onBlur={() => {
        if (text === written) return;
        try {
          const read: unknown = text.trim() === "" ? undefined : parse(text);
          setWrong(undefined);
          forget();
          onEdit([{ path, value: read }]);
        } catch (error) {
          setWrong(error instanceof Error ? error.message.split("\n")[0] : String(error));
        }
      }}
    />
  );
}
