import { type ComponentType, createContext, useContext } from "react";

export type Path = readonly (string | number)[];

/** A value that is to stand at a place; nothing removes what is there. */
export interface Edit {
  path: Path;
  value: unknown;
}

/** What a control is given, a caller's own too. */
export interface ControlProps {
  label: string;
  help: string | undefined;
  isRequired: boolean;
  /** What is around says it already. */
  hideLabel?: boolean;
  path: Path;
  /** As it is written now. */
  value: unknown;
}

/** What all controls of a form share. */
export interface SchemaForm {
  onEdit: (edits: readonly Edit[]) => void;
  /** What is wrong at a place, in words. */
  errorAt: (path: Path) => string | undefined;
  readOnly: boolean;
  /** Controls of the caller's own, by their names. */
  own: Readonly<Record<string, ComponentType<ControlProps>>>;
  /** Texts that are offered where any may be written. */
  suggestionsAt: (path: Path) => readonly string[];
}

export const SchemaFormContext = createContext<SchemaForm | null>(null);

export function useSchemaForm(): SchemaForm {
  const form = useContext(SchemaFormContext);
  if (!form) throw new Error("There is no form around this control.");
  return form;
}

/** What every field of the form says about itself. */
export function useFieldText(props: ControlProps) {
  const { label, help, isRequired, hideLabel = false, path } = props;
  const { errorAt } = useSchemaForm();
  return { label, hint: help, required: isRequired, hideLabel, error: errorAt(path) };
}
