import { Eye, EyeOff } from "lucide-react";
import type { ComponentProps } from "react";
import { useState } from "react";
import { IconButton } from "../Button.tsx";
import { classNames } from "../class-names.ts";
import { Field, type FieldText } from "./Field.tsx";

type Native<Tag extends "input" | "textarea"> = Omit<
  ComponentProps<Tag>,
  "value" | "onChange" | "id" | "required" | "children" | "className"
>;

export interface TextFieldProps extends FieldText, Native<"input"> {
  value: string;
  onChange: (value: string) => void;
  className?: string;
}

/** One line of text. */
export function TextField({
  label,
  hideLabel = false,
  error,
  hint,
  required,
  value,
  onChange,
  className,
  type = "text",
  ...rest
}: TextFieldProps) {
  return (
    <Field {...{ label, hideLabel, error, hint, required, className }}>
      {(control) => (
        <input
          {...rest}
          {...control}
          type={type}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className="field w-full"
        />
      )}
    </Field>
  );
}

/** Text that must not be read over a shoulder; it can be shown. */
export function SecretField({
  label,
  hideLabel = false,
  error,
  hint,
  required,
  value,
  onChange,
  className,
  ...rest
}: Omit<TextFieldProps, "type">) {
  const [isShown, setIsShown] = useState(false);
  return (
    <Field {...{ label, hideLabel, error, hint, required, className }}>
      {(control) => (
        <span className="relative flex">
          <input
            autoComplete="off"
            spellCheck={false}
            {...rest}
            {...control}
            type={isShown ? "text" : "password"}
            value={value}
            onChange={(event) => onChange(event.target.value)}
            className="field w-full pr-8"
          />
          <IconButton
            label={isShown ? `Hide ${label}` : `Show ${label}`}
            aria-pressed={isShown}
            icon={
              isShown ? (
                <EyeOff size={14} strokeWidth={1.75} />
              ) : (
                <Eye size={14} strokeWidth={1.75} />
              )
            }
            onClick={() => setIsShown(!isShown)}
            className="absolute top-0.5 right-0.5 size-6!"
          />
        </span>
      )}
    </Field>
  );
}

export interface TextAreaFieldProps extends FieldText, Native<"textarea"> {
  value: string;
  onChange: (value: string) => void;
  /** Drawn in the typeface of code. */
  isCode?: boolean;
  className?: string;
}

/** Several lines of text. */
export function TextAreaField({
  label,
  hideLabel = false,
  error,
  hint,
  required,
  value,
  onChange,
  isCode = false,
  className,
  rows = 4,
  ...rest
}: TextAreaFieldProps) {
  return (
    <Field {...{ label, hideLabel, error, hint, required, className }}>
      {(control) => (
        <textarea
          {...rest}
          {...control}
          rows={rows}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className={classNames("field h-auto! w-full py-1", isCode && "font-mono text-xs!")}
        />
      )}
    </Field>
  );
}
