import { Trash2 } from "lucide-react";
import {
  isSupportedCheckType,
  supportedCheckTypes,
  type SupportedCheckType,
} from "@mainstay/contract/canary/index.ts";
import { isMapping } from "@mainstay/contract/topology/parts.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { SelectField } from "@mainstay/ui/fields/ChoiceFields.tsx";
import {
  type ControlProps,
  type Path,
  useFieldText,
  useSchemaForm,
} from "@mainstay/ui/schema-form/form-context.ts";
import { SchemaFields } from "@mainstay/ui/schema-form/SchemaFields.tsx";
import { YamlControl } from "@mainstay/ui/schema-form/ScalarControls.tsx";
import { checkTypeLabel } from "#lib/documents/form/check-type-label.ts";
import { FormSection } from "#lib/documents/form/FormSection.tsx";
import { lookupCheckFields } from "./topology-fields.ts";

const offered = supportedCheckTypes
  .map((type) => ({ value: type as string, label: checkTypeLabel(type) }))
  .toSorted((one, other) => one.label.localeCompare(other.label));

interface LookupCheck {
  type: SupportedCheckType;
  index: number;
  check: Readonly<Record<string, unknown>>;
}

const checksIn = (value: unknown): LookupCheck[] =>
  Object.entries(isMapping(value) ? value : {}).flatMap(([type, list]) =>
    isSupportedCheckType(type) && Array.isArray(list)
      ? list.map((check: unknown, index) => ({ type, index, check: isMapping(check) ? check : {} }))
      : [],
  );

function OneCheck({ type, index, check, path }: LookupCheck & { path: Path }) {
  const { onEdit, readOnly, errorAt } = useSchemaForm();
  const { own, more } = lookupCheckFields(type);
  const title = `${checkTypeLabel(type)}${index > 0 ? ` ${index + 1}` : ""}`;
  const wrong = errorAt(path);
  return (
    <fieldset className="m-0 flex min-w-0 flex-col gap-3 rounded-control border p-3">
      <legend className="px-1 text-xs font-medium">{title}</legend>
      {wrong !== undefined && (
        <p role="alert" className="m-0 text-sm text-unhealthy-fg">
          {wrong}
        </p>
      )}
      <SchemaFields fields={own} value={check} path={path} />
      <FormSection
        title={`More of ${title}`}
        isOpen={more.some(({ key }) => check[key] !== undefined)}
      >
        <SchemaFields fields={more} value={check} path={path} />
      </FormSection>
      {!readOnly && (
        <Button
          kind="quiet"
          className="self-start"
          icon={<Trash2 size={14} strokeWidth={1.75} />}
          onClick={() => onEdit([{ path, value: undefined }])}
        >
          Remove {title}
        </Button>
      )}
    </fieldset>
  );
}

/** Checks that are run to find something, each with the form of its type. */
export function LookupControl(props: ControlProps) {
  const { onEdit, readOnly } = useSchemaForm();
  const { label, hint, error } = useFieldText(props);
  const { path, value } = props;
  if (value !== undefined && value !== null && !isMapping(value)) return <YamlControl {...props} />;
  const checks = checksIn(value);
  const add = (type: string) => {
    if (!isSupportedCheckType(type)) return;
    const list = isMapping(value) ? value[type] : undefined;
    onEdit([{ path: [...path, type, Array.isArray(list) ? list.length : 0], value: {} }]);
  };
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {checks.map((one) => (
        <OneCheck key={`${one.type} ${one.index}`} {...one} path={[...path, one.type, one.index]} />
      ))}
      {!readOnly && (
        <SelectField
          label={`Add a check to ${label}`}
          hint={hint}
          error={error}
          value=""
          placeholder="Choose its type"
          options={offered}
          onChange={add}
        />
      )}
    </div>
  );
}
