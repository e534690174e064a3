import type {
  ConnectionField,
  ConnectionType,
} from "@mainstay/contract/connections/connection-type.ts";
import { CheckboxField, SelectField } from "@mainstay/ui/fields/ChoiceFields.tsx";
import { NumberField } from "@mainstay/ui/fields/NumberField.tsx";
import { emptySourced, SourcedField } from "@mainstay/ui/fields/SourcedField.tsx";
import { TextAreaField, TextField } from "@mainstay/ui/fields/TextField.tsx";
import type { ConnectionErrors } from "./connection-form.ts";
import type { ConnectionFormState } from "./use-connection-form.ts";

export interface ConnectionFieldsProps {
  type: ConnectionType;
  state: ConnectionFormState;
  /** Keys of secrets that are stored. */
  storedSecrets: readonly string[];
  errors: ConnectionErrors;
  /** Name and namespace of a stored connection stay. */
  isNew: boolean;
  readOnly: boolean;
}

/** Name, namespace and the fields of a type, as its declaration has them. */
export function ConnectionFields(props: ConnectionFieldsProps) {
  const { type, state, errors, isNew, readOnly } = props;
  const { form, change } = state;
  return (
    <>
      <div className="flex gap-3 max-tablet:flex-col">
        <TextField
          label="Name"
          required
          className="flex-1"
          value={form.name}
          onChange={(name) => change({ name })}
          error={errors["name"]}
          readOnly={!isNew || readOnly}
          autoComplete="off"
        />
        <TextField
          label="Namespace"
          required
          className="flex-1"
          value={form.namespace}
          onChange={(namespace) => change({ namespace })}
          error={errors["namespace"]}
          readOnly={!isNew || readOnly}
          autoComplete="off"
        />
      </div>
      {type.fields.map((field) => (
        <OneField key={field.key} {...props} field={field} />
      ))}
    </>
  );
}

function OneField({
  field,
  state,
  storedSecrets,
  errors,
  readOnly,
}: ConnectionFieldsProps & { field: ConnectionField }) {
  const { key, label, help, required, secret, input } = field;
  const value = state.form.fields[key] ?? emptySourced;
  const common = {
    label,
    required,
    error: errors[key],
    ...(help !== "" && { hint: help }),
  };
  const changeText = (text: string) => state.changeField(key, { ...emptySourced, value: text });
  const isMultiline = input === "multiline";
  if (field.valueSource || secret)
    return (
      <SourcedField
        {...common}
        value={value}
        onChange={(next) => state.changeField(key, next)}
        isSecret={secret}
        isMultiline={isMultiline}
        readOnly={readOnly}
        isKept={state.form.kept.includes(key)}
        onKeep={storedSecrets.includes(key) ? (isKept) => state.replace(key, !isKept) : undefined}
      />
    );
  if (input === "checkbox")
    return (
      <CheckboxField
        {...common}
        checked={value.value === "true"}
        disabled={readOnly}
        onChange={(checked) => changeText(String(checked))}
      />
    );
  if (input === "select") {
    const options = field.options ?? [];
    const isOther = value.value !== "" && options.every((option) => option.value !== value.value);
    return (
      <SelectField
        {...common}
        value={value.value}
        options={isOther ? [...options, { value: value.value, label: value.value }] : options}
        disabled={readOnly}
        onChange={changeText}
        {...(required ? {} : { placeholder: "None" })}
      />
    );
  }
  if (input === "number")
    return (
      <NumberField {...common} value={value.value} readOnly={readOnly} onChange={changeText} />
    );
  const Text = isMultiline ? TextAreaField : TextField;
  return (
    <Text
      {...common}
      value={value.value}
      readOnly={readOnly}
      onChange={changeText}
      autoComplete="off"
    />
  );
}
