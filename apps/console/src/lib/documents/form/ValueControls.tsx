import { useState } from "react";
import { SourcedField, type SourcedValue } from "@mainstay/ui/fields/SourcedField.tsx";
import { TextField } from "@mainstay/ui/fields/TextField.tsx";
import {
  type ControlProps,
  useFieldText,
  useSchemaForm,
} from "@mainstay/ui/schema-form/form-context.ts";
import { YamlControl } from "@mainstay/ui/schema-form/ScalarControls.tsx";
import { envVarOf, isStored, referencePaths, sourcedOfEnvVar } from "./env-var.ts";

/** Files in PEM and YAML. */
const hasLines = new Set(
  "ca cert certificate credentials jmx key kubeconfig privateKey".split(" "),
);

type Props = ControlProps & { isSecret: boolean; label: string };

/** A value with where it comes from. */
function EnvVarField(props: Props) {
  const { onEdit, readOnly, errorAt } = useSchemaForm();
  const { hideLabel: _hidden, ...field } = useFieldText(props);
  const { path, value, isSecret } = props;
  const [missing] = referencePaths.flatMap((part) => errorAt([...path, ...part]) ?? []);
  // That it will come from elsewhere is nothing that a document could hold.
  const [begun, setBegun] = useState<{ sourced: SourcedValue; over: string } | null>(null);
  const [isReplaced, setIsReplaced] = useState(false);
  const written = JSON.stringify(value ?? null);
  const shown = sourcedOfEnvVar(value);
  if (!shown) return <YamlControl {...props} />;
  const sourced = begun?.over === written ? begun.sourced : shown;
  const wasStored = isStored(value);
  return (
    <SourcedField
      {...field}
      error={field.error ?? missing}
      isSecret={isSecret}
      isMultiline={hasLines.has(String(path.at(-1)))}
      readOnly={readOnly}
      value={wasStored && sourced === shown ? { ...sourced, value: "" } : sourced}
      isKept={wasStored && !isReplaced}
      onKeep={wasStored ? (isKept) => setIsReplaced(!isKept) : undefined}
      onChange={(next) => {
        const made = envVarOf(next, value);
        setBegun(made === undefined ? { sourced: next, over: written } : null);
        if (made !== undefined || next.from === "static") onEdit([{ path, value: made }]);
      }}
    />
  );
}

export const ValueControl = (props: ControlProps) => <EnvVarField {...props} isSecret={false} />;
export const SecretControl = (props: ControlProps) => <EnvVarField {...props} isSecret />;

/** One of a list in which each value has a name: headers, variables. */
function NamedEnvVar(props: ControlProps & { isSecret: boolean }) {
  const { onEdit, readOnly } = useSchemaForm();
  const { path, value } = props;
  const { name } = (typeof value === "object" && value !== null ? value : {}) as {
    name?: unknown;
  };
  return (
    <>
      <TextField
        label={`Name of ${props.label}`}
        hideLabel
        placeholder="Name"
        value={typeof name === "string" ? name : ""}
        readOnly={readOnly}
        autoComplete="off"
        onChange={(text) => onEdit([{ path: [...path, "name"], value: text }])}
      />
      <EnvVarField {...props} label={`Value of ${props.label}`} />
    </>
  );
}

export const NamedValueControl = (props: ControlProps) => (
  <NamedEnvVar {...props} isSecret={false} />
);
export const NamedSecretControl = (props: ControlProps) => <NamedEnvVar {...props} isSecret />;
