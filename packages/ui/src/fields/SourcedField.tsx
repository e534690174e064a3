import { Eye, EyeOff, Lock } from "lucide-react";
import { useId, useState } from "react";
import { Button, IconButton } from "../Button.tsx";
import { classNames } from "../class-names.ts";
import { FieldNotes, type FieldText } from "./Field.tsx";
import { SegmentedField } from "./SegmentedField.tsx";

export const valueOrigins = ["static", "secret", "configmap"] as const;
export type ValueOrigin = (typeof valueOrigins)[number];

/** A value that is written down, or the name and key of where it stands. What belongs to the others is kept. */
export interface SourcedValue {
  from: ValueOrigin;
  value: string;
  name: string;
  key: string;
}

export const emptySourced: SourcedValue = { from: "static", value: "", name: "", key: "" };

const originWords: Readonly<Record<ValueOrigin, string>> = {
  static: "Static",
  secret: "Secret",
  configmap: "ConfigMap",
};
const originOptions = valueOrigins.map((value) => ({ value, label: originWords[value] }));

export interface SourcedFieldProps extends Omit<FieldText, "hideLabel"> {
  value: SourcedValue;
  onChange: (value: SourcedValue) => void;
  /** A value that is written down must not be read over a shoulder. */
  isSecret?: boolean;
  /** Something is stored that nobody is shown; it stays unless it is replaced. */
  isKept?: boolean;
  /** Whether what is stored is to stay. Left out where nothing is stored that could. */
  onKeep?: ((isKept: boolean) => void) | undefined;
  isMultiline?: boolean;
  placeholder?: string;
  readOnly?: boolean;
  className?: string;
}

/** A value with where it comes from: written down here, or a key of a secret or a config map. */
export function SourcedField(props: SourcedFieldProps) {
  const { label, error, hint, required, value, onChange, isSecret = false, isKept = false } = props;
  const { onKeep, readOnly = false } = props;
  const id = useId();
  const [isShown, setIsShown] = useState(false);
  const describedBy = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""]
    .filter(Boolean)
    .join(" ");
  const control = {
    "aria-describedby": describedBy === "" ? undefined : describedBy,
    "aria-required": required,
    autoComplete: "off",
    spellCheck: false,
    readOnly,
  };
  const isOpenText = !isSecret || isShown;
  return (
    <div className={classNames("flex min-w-0 flex-col gap-1", props.className)}>
      <span className="flex min-h-5.5 flex-wrap items-center justify-between gap-x-2 gap-y-1">
        <label htmlFor={id} className="text-xs text-muted">
          {label}
          {required === true && (
            <span aria-hidden="true" className="text-unhealthy-fg" data-tooltip="Required">
              {" "}
              *
            </span>
          )}
        </label>
        {!isKept && (
          <SegmentedField
            label={`Source of ${label}`}
            value={value.from}
            options={originOptions}
            disabled={readOnly}
            onChange={(from) => onChange({ ...value, from: from as ValueOrigin })}
          />
        )}
      </span>
      {isKept ? (
        <span className="field flex items-center gap-2 bg-sunken! pr-0.5!">
          <Lock aria-hidden="true" size={12} strokeWidth={1.75} className="shrink-0 text-muted" />
          <span className="min-w-0 flex-1 truncate text-muted">Stored, and never shown</span>
          {!readOnly && onKeep && (
            <Button
              kind="quiet"
              aria-label={`Replace ${label}`}
              className="h-6!"
              onClick={() => onKeep(false)}
            >
              Replace
            </Button>
          )}
        </span>
      ) : value.from === "static" ? (
        <span className="relative flex">
          {props.isMultiline === true ? (
            <textarea
              {...control}
              id={id}
              aria-label={label}
              aria-invalid={error !== undefined}
              rows={4}
              placeholder={props.placeholder}
              value={value.value}
              onChange={(event) => onChange({ ...value, value: event.target.value })}
              className={classNames(
                "field h-auto! w-full py-1 pr-8 font-mono text-xs!",
                !isOpenText && "[-webkit-text-security:disc]",
              )}
            />
          ) : (
            <input
              {...control}
              id={id}
              aria-label={label}
              aria-invalid={error !== undefined}
              type={isOpenText ? "text" : "password"}
              placeholder={props.placeholder}
              value={value.value}
              onChange={(event) => onChange({ ...value, value: event.target.value })}
              className={classNames("field w-full", isSecret && "pr-8")}
            />
          )}
          {isSecret && (
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
          )}
        </span>
      ) : (
        <span className="flex gap-1.5">
          {(["name", "key"] as const).map((part) => (
            <input
              key={part}
              {...control}
              {...(part === "name" && { id })}
              aria-label={`${part === "name" ? originWords[value.from] : "Key"} of ${label}`}
              aria-invalid={error !== undefined && value[part].trim() === ""}
              placeholder={part === "name" ? `${originWords[value.from]} name` : "Key"}
              value={value[part]}
              onChange={(event) => onChange({ ...value, [part]: event.target.value })}
              className="field min-w-0 flex-1 font-mono text-xs!"
            />
          ))}
        </span>
      )}
      {!isKept && onKeep && !readOnly && (
        <Button
          kind="quiet"
          className="h-6! self-start px-1! text-xs!"
          onClick={() => onKeep(true)}
        >
          Keep what is stored
        </Button>
      )}
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}
