import { canaryFormat } from "@mainstay/contract/canary/index.ts";
import type { TextFormProps } from "#lib/documents/document-kinds.ts";
import { ownControls } from "#lib/documents/form/own-controls.ts";
import { type TextForm, useTextForm } from "#lib/documents/form/use-text-form.ts";
import { suggestionsAt } from "./check-fields.ts";
import { checksInText } from "./checks-in-text.ts";
import { ConnectionControl } from "./ConnectionControl.tsx";

const ofChecks: TextForm<NonNullable<ReturnType<typeof checksInText>>> = {
  format: canaryFormat,
  read: checksInText,
  own: { ...ownControls, connection: ConnectionControl },
  suggestionsAt,
};

/** A text of checks, as forms see it. */
export const useCheckForm = (props: TextFormProps) => useTextForm(props, ofChecks);
