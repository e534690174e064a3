import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useId } from "react";
import { classNames } from "../class-names.ts";

/** What every field of a form says about itself. */
export interface FieldText {
  label: string;
  /** Keeps the name for assistive technology only. */
  hideLabel?: boolean;
  /** What is wrong with the value, in a sentence. */
  error?: string | undefined;
  /** What belongs here, when the label does not say it. */
  hint?: ReactNode;
  required?: boolean | undefined;
}

/** What the control of a field must carry so that its texts are read out with it. */
export interface FieldControl {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean;
  "aria-required": boolean | undefined;
}

export interface FieldProps extends FieldText {
  children: (control: FieldControl) => ReactNode;
  className?: string | undefined;
}

/** A control with its label above and its hint and error below. */
export function Field({
  label,
  hideLabel = false,
  error,
  hint,
  required,
  children,
  className,
}: FieldProps) {
  const id = useId();
  const describedBy = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""]
    .filter(Boolean)
    .join(" ");
  return (
    <div className={classNames("flex min-w-0 flex-col gap-1", className)}>
      <label htmlFor={id} className={hideLabel ? "sr-only" : "text-xs text-muted"}>
        {label}
        {required === true && (
          <span aria-hidden="true" className="text-unhealthy-fg" data-tooltip="Required">
            {" "}
            *
          </span>
        )}
      </label>
      {children({
        id,
        "aria-describedby": describedBy === "" ? undefined : describedBy,
        "aria-invalid": error !== undefined,
        "aria-required": required,
      })}
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}

/** The texts below a control: `{id}-hint` and `{id}-error`. */
export function FieldNotes({
  id,
  hint,
  error,
}: { id: string } & Pick<FieldText, "hint" | "error">) {
  return (
    <>
      {hint !== undefined && (
        <span id={`${id}-hint`} className="text-2xs wrap-anywhere text-muted">
          {hint}
        </span>
      )}
      {error !== undefined && (
        <span
          id={`${id}-error`}
          className="flex items-start gap-1 text-xs break-words text-unhealthy-fg"
        >
          <TriangleAlert aria-hidden="true" size={12} strokeWidth={2} className="mt-0.5 shrink-0" />
          {error}
        </span>
      )}
    </>
  );
}

/** Takes the keyboard to the first field of a form that something is wrong with; whether there was one. */
export function focusFirstInvalid(form: HTMLElement | null): boolean {
  const field = form?.querySelector<HTMLElement>("[aria-invalid=true]");
  field?.focus();
  return field !== null && field !== undefined;
}
