import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { SelectField } from "@mainstay/ui/fields/ChoiceFields.tsx";
import { TextField } from "@mainstay/ui/fields/TextField.tsx";
import {
  type ControlProps,
  useFieldText,
  useSchemaForm,
} from "@mainstay/ui/schema-form/form-context.ts";
import { useAccess } from "#lib/use-access.ts";
import { editorQueries } from "../queries.ts";
import { fittingTypes } from "./fitting-connections.ts";

/** A stored connection by its name, or an address that is written here. */
export function ConnectionControl(props: ControlProps) {
  const { onEdit, readOnly } = useSchemaForm();
  const field = useFieldText(props);
  const { path, value } = props;
  const maySee = useAccess().may("read", "connections");
  const connections = useQuery({ ...editorQueries.connections, enabled: maySee });
  const text = typeof value === "string" ? value : "";
  const [isWritten, setIsWritten] = useState(text !== "" && !text.startsWith("connection://"));
  const [, type = ""] = path.map(String);
  const types = fittingTypes(type, path);
  const offered = (connections.data ?? [])
    .filter((one) => types?.includes(one.type) ?? true)
    .map(({ name, namespace, type: of }) => ({
      value: `connection://${namespace}/${name}`,
      label: `${name} (${namespace}, ${of})`,
    }));
  const isKnown = text === "" || offered.some((option) => option.value === text);
  const edit = (next: string) => onEdit([{ path, value: next === "" ? undefined : next }]);
  if (isWritten || !maySee)
    return (
      <div className="flex items-start gap-1.5">
        <TextField
          {...field}
          className="flex-1"
          value={text}
          readOnly={readOnly}
          autoComplete="off"
          spellCheck={false}
          onChange={edit}
        />
        {maySee && !readOnly && (
          <Button className="mt-5" onClick={() => setIsWritten(false)}>
            Pick one
          </Button>
        )}
      </div>
    );
  return (
    <div className="flex items-start gap-1.5">
      <SelectField
        {...field}
        className="flex-1"
        value={text}
        placeholder="None"
        options={isKnown ? offered : [...offered, { value: text, label: text }]}
        disabled={readOnly}
        onChange={edit}
      />
      {!readOnly && (
        <Button className="mt-5" onClick={() => setIsWritten(true)}>
          Write one
        </Button>
      )}
    </div>
  );
}
