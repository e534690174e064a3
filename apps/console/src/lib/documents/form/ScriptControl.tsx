import { useState } from "react";
import { SelectField } from "@mainstay/ui/fields/ChoiceFields.tsx";
import { TextAreaField } from "@mainstay/ui/fields/TextField.tsx";
import {
  type ControlProps,
  useFieldText,
  useSchemaForm,
} from "@mainstay/ui/schema-form/form-context.ts";

/** Document 3, section 5. */
const kinds = [
  { value: "template", label: "Go template" },
  { value: "javascript", label: "Javascript" },
  { value: "expr", label: "Expr" },
  { value: "jsonPath", label: "JSONPath" },
] as const;
const aliases: Readonly<Record<string, string>> = { jsonpath: "jsonPath" };

/** A script in one of its languages, or none. */
export function ScriptControl(props: ControlProps) {
  const { onEdit, readOnly } = useSchemaForm();
  const { label, error, hint } = useFieldText(props);
  const { path, value } = props;
  const map = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const key = Object.keys(map).find(
    (one) =>
      typeof map[one] === "string" && kinds.some((kind) => kind.value === (aliases[one] ?? one)),
  );
  const [picked, setPicked] = useState("");
  const kind = key === undefined ? picked : (aliases[key] ?? key);
  const text = key === undefined ? "" : (map[key] as string);
  return (
    <div className="flex flex-col gap-1.5">
      <SelectField
        label={label}
        hint={hint}
        value={kind}
        placeholder="None"
        options={kinds}
        disabled={readOnly}
        onChange={(next) => {
          setPicked(next);
          if (key === undefined) return;
          onEdit([
            { path: [...path, key], value: undefined },
            ...(next === "" ? [] : [{ path: [...path, next], value: text }]),
          ]);
        }}
      />
      {kind !== "" && (
        <TextAreaField
          label={`Script of ${label}`}
          hideLabel
          isCode
          error={error}
          value={text}
          readOnly={readOnly}
          spellCheck={false}
          onChange={(next) => {
            setPicked(kind);
            onEdit([{ path: [...path, key ?? kind], value: next === "" ? undefined : next }]);
          }}
        />
      )}
    </div>
  );
}
