import { ChevronRight, Plus, Trash2 } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { Button, IconButton } from "../Button.tsx";
import { FieldNotes } from "../fields/Field.tsx";
import { type ControlProps, type Path, useFieldText, useSchemaForm } from "./form-context.ts";
import {
  BooleanControl,
  ChoiceControl,
  NumberControl,
  ScalarControl,
  TextControl,
  YamlControl,
} from "./ScalarControls.tsx";
import type { Control, FieldShape } from "./schema-fields.ts";

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields of a mapping. */
export function SchemaFields({
  fields,
  value,
  path,
}: {
  fields: readonly FieldShape[];
  value: unknown;
  path: Path;
}) {
  const map = isMapping(value) ? value : {};
  return fields.map((field) => (
    <SchemaField
      key={field.key}
      label={field.label}
      help={field.help}
      isRequired={field.isRequired}
      control={field.control}
      path={[...path, field.key]}
      value={map[field.key]}
    />
  ));
}

/** Whether a control can write what is there. */
function fits({ kind }: Control, value: unknown): boolean {
  if (value === undefined || value === null || kind === "own" || kind === "yaml") return true;
  if (kind === "list") return Array.isArray(value);
  if (kind === "map" || kind === "object") return isMapping(value);
  return typeof value !== "object";
}

export function SchemaField({ control, ...props }: ControlProps & { control: Control }) {
  const { own } = useSchemaForm();
  if (!fits(control, props.value)) return <YamlControl {...props} />;
  switch (control.kind) {
    case "text":
      return <TextControl {...props} isMultiline={control.isMultiline} />;
    case "number":
      return <NumberControl {...props} control={control} />;
    case "scalar":
      return <ScalarControl {...props} />;
    case "boolean":
      return <BooleanControl {...props} />;
    case "choice":
      return <ChoiceControl {...props} options={control.options} />;
    case "list":
      return <ListControl {...props} item={control.item} />;
    case "map":
      return <MapControl {...props} valueControl={control.value} />;
    case "object":
      return <ObjectControl {...props} fields={control.fields} />;
    case "yaml":
      return <YamlControl {...props} />;
    case "own": {
      const Own = own[control.name];
      return Own ? <Own {...props} /> : <YamlControl {...props} />;
    }
  }
}

/** The texts below a group, for whoever cannot see that they stand there. */
const describedBy = (id: string, { hint, error }: { hint: unknown; error: string | undefined }) =>
  [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ") || undefined;

/** Several fields under one name. */
function Group({ children, ...props }: ControlProps & { children: ReactNode }) {
  const id = useId();
  const { error, required } = useFieldText(props);
  return (
    <fieldset
      aria-describedby={describedBy(id, { hint: props.help, error })}
      className="m-0 flex min-w-0 flex-col gap-2 border-0 p-0"
    >
      <legend className="p-0 pb-1 text-xs text-muted">
        {props.label}
        {required && (
          <span aria-hidden="true" className="text-unhealthy-fg" data-tooltip="Required">
            {" "}
            *
          </span>
        )}
      </legend>
      {children}
      <FieldNotes id={id} hint={props.help} error={error} />
    </fieldset>
  );
}

const remove = (label: string, onClick: () => void) => (
  <IconButton
    label={label}
    icon={<Trash2 size={14} strokeWidth={1.75} />}
    className="shrink-0"
    onClick={onClick}
  />
);

function AddButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button
      className="self-start"
      aria-label={`Add to ${label}`}
      icon={<Plus size={14} strokeWidth={1.75} />}
      onClick={onClick}
    >
      Add
    </Button>
  );
}

const isLarge = ({ kind }: Control) => kind === "object" || kind === "own" || kind === "list";

function ListControl({ item, ...props }: ControlProps & { item: Control }) {
  const { onEdit, readOnly } = useSchemaForm();
  const { path, label } = props;
  const items = Array.isArray(props.value) ? (props.value as unknown[]) : [];
  // One more, of which nothing is written yet.
  const [isAdding, setIsAdding] = useState(false);
  const [seen, setSeen] = useState(items.length);
  if (seen !== items.length) {
    setSeen(items.length);
    setIsAdding(false);
  }
  const shown = isAdding ? [...items, undefined] : items;
  return (
    <Group {...props}>
      {shown.map((value, index) => (
        <div
          key={index}
          className={
            isLarge(item)
              ? "flex items-start gap-1.5 rounded-control border p-2"
              : "flex items-start gap-1.5"
          }
        >
          <div className="flex min-w-0 flex-1 flex-col gap-2">
            <SchemaField
              label={`${label} ${index + 1}`}
              hideLabel
              help={undefined}
              isRequired={false}
              control={item}
              path={[...path, index]}
              value={value}
            />
          </div>
          {!readOnly &&
            remove(`Remove ${label} ${index + 1}`, () =>
              index < items.length
                ? onEdit([{ path: [...path, index], value: undefined }])
                : setIsAdding(false),
            )}
        </div>
      ))}
      {!readOnly && !isAdding && <AddButton label={label} onClick={() => setIsAdding(true)} />}
    </Group>
  );
}

function MapControl({ valueControl, ...props }: ControlProps & { valueControl: Control }) {
  const { onEdit, readOnly } = useSchemaForm();
  const { path, label } = props;
  const map = isMapping(props.value) ? props.value : {};
  const [added, setAdded] = useState<string>();
  const add = () => {
    const key = added?.trim() ?? "";
    if (key === "" || Object.hasOwn(map, key)) return;
    onEdit([{ path: [...path, key], value: "" }]);
    setAdded(undefined);
  };
  return (
    <Group {...props}>
      {Object.entries(map).map(([key, value]) => (
        <div key={key} className="flex items-start gap-1.5">
          <div className="min-w-0 flex-1">
            <SchemaField
              label={key}
              help={undefined}
              isRequired={false}
              control={valueControl}
              path={[...path, key]}
              value={value}
            />
          </div>
          {!readOnly &&
            remove(`Remove ${key}`, () => onEdit([{ path: [...path, key], value: undefined }]))}
        </div>
      ))}
      {added !== undefined && (
        <div className="flex gap-1.5">
          <input
            aria-label={`New key of ${label}`}
            placeholder="Key"
            autoComplete="off"
            value={added}
            onChange={(event) => setAdded(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              event.preventDefault();
              add();
            }}
            onBlur={add}
            className="field min-w-0 flex-1 font-mono text-xs!"
          />
          {remove(`Remove the new key of ${label}`, () => setAdded(undefined))}
        </div>
      )}
      {!readOnly && added === undefined && <AddButton label={label} onClick={() => setAdded("")} />}
    </Group>
  );
}

interface Fields {
  fields: readonly FieldShape[];
}

/** Some mean something by being there, whatever they say: all of one can be left out, and so can the whole of it again. */
function Presence({ fields, label, path, value, isRequired }: ControlProps & Fields) {
  const { onEdit, readOnly } = useSchemaForm();
  const isThere = value !== undefined;
  if (readOnly || (isThere ? isRequired : fields.some((field) => field.isRequired))) return null;
  return (
    <Button
      kind="quiet"
      className="self-start"
      aria-label={isThere ? `Remove ${label}` : `Set ${label} without any of these`}
      onClick={() => onEdit([{ path, value: isThere ? undefined : {} }])}
    >
      {isThere ? "Remove" : "Set without any of these"}
    </Button>
  );
}

function ObjectControl({ fields, ...props }: ControlProps & Fields) {
  const id = useId();
  const { error } = useFieldText(props);
  const [isOpen, setIsOpen] = useState(props.value !== undefined);
  const isInList = typeof props.path.at(-1) === "number";
  const inner = (
    <div className="flex flex-col gap-3">
      <SchemaFields fields={fields} value={props.value} path={props.path} />
    </div>
  );
  if (isInList) return inner;
  return (
    <div className="flex flex-col gap-2">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-describedby={describedBy(id, { hint: props.help, error })}
        onClick={() => setIsOpen(!isOpen)}
        className="flex min-h-7 items-center gap-1.5 self-start rounded-control border-0 bg-transparent p-0 pr-2 text-left text-sm hover:bg-hover"
      >
        <ChevronRight
          aria-hidden="true"
          size={14}
          strokeWidth={1.75}
          className={isOpen ? "rotate-90" : ""}
        />
        {props.label}
        {props.value !== undefined && <span className="text-xs text-muted">set</span>}
      </button>
      <FieldNotes id={id} hint={props.help} error={error} />
      {isOpen && (
        <div className="flex flex-col gap-3 border-l pl-3">
          {inner}
          <Presence fields={fields} {...props} />
        </div>
      )}
    </div>
  );
}
