import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { loggingBackendFormat } from "@mainstay/contract/logs/backend-format.ts";
import { isLogBackendType } from "@mainstay/contract/logs/backend-types.ts";
import { consoleSource } from "@mainstay/contract/sources.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { TypeGrid } from "@mainstay/ui/choice/TypeGrid.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { TextField } from "@mainstay/ui/fields/TextField.tsx";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { type SchemaForm, SchemaFormContext } from "@mainstay/ui/schema-form/form-context.ts";
import { SchemaFields } from "@mainstay/ui/schema-form/SchemaFields.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import type { TextFormProps } from "#lib/documents/document-kinds.ts";
import { FormSection } from "#lib/documents/form/FormSection.tsx";
import { ownControls } from "#lib/documents/form/own-controls.ts";
import { type TextForm, useTextForm } from "#lib/documents/form/use-text-form.ts";
import {
  backendFields,
  backendIcon,
  backendLabel,
  backendTiles,
  nameFields,
} from "./backend-fields.ts";
import { backendsInText, placeForBackend, type WrittenBackend } from "./backends-in-text.ts";

const none: readonly string[] = [];
const ofBackends: TextForm<NonNullable<ReturnType<typeof backendsInText>>> = {
  format: loggingBackendFormat,
  read: backendsInText,
  own: ownControls,
  suggestionsAt: () => none,
};

const tiles = backendTiles((type) => <Icon name={backendIcon(type)} />);

const metadataOf = (value: unknown): Readonly<Record<string, unknown>> => {
  const found = (value as { metadata?: unknown } | null | undefined)?.metadata;
  return typeof found === "object" && found !== null ? (found as Record<string, unknown>) : {};
};

function DocumentFields({
  value,
  form,
  stored,
}: {
  value: unknown;
  form: SchemaForm;
  stored: TextFormProps["stored"];
}) {
  return (
    <SchemaFormContext value={stored === undefined ? form : { ...form, readOnly: true }}>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,220px),1fr))] gap-3">
        <SchemaFields fields={nameFields()} value={metadataOf(value)} path={["metadata"]} />
        {stored !== undefined && (
          <TextField
            label="Source"
            readOnly
            value={stored.source ?? consoleSource}
            onChange={() => undefined}
          />
        )}
      </div>
    </SchemaFormContext>
  );
}

function OneBackend({ written, form }: { written: WrittenBackend; form: SchemaForm }) {
  const { type, backend, path } = written;
  const { own, routing } = backendFields(type);
  const whole = form.errorAt(path);
  return (
    <SchemaFormContext value={form}>
      <div className="flex max-w-3xl flex-col gap-3">
        {whole !== undefined && (
          <p role="alert" className="m-0 text-sm text-unhealthy-fg">
            {whole}
          </p>
        )}
        <SchemaFields fields={own} value={backend} path={path} />
        <FormSection
          title="Routes and labels"
          about="Which questions it is asked, and what its lines get"
          isOpen={routing.some(({ key }) => backend[key] !== undefined)}
        >
          <SchemaFields fields={routing} value={backend} path={path} />
        </FormSection>
      </div>
    </SchemaFormContext>
  );
}

const begun = (type: string): string => `apiVersion: apm-hub.flanksource.com/v1
kind: LoggingBackend
metadata:
  name: my-${type.toLowerCase()}
  namespace: default
spec:
  backends:
    - ${type}: {}
`;

/** A text of log backends, each as a form; one that is new begins with its type. The text is what is edited. */
export function LogBackendForm(props: TextFormProps) {
  const { text, onChange, onText, readOnly, isTried, stored } = props;
  const { read, apply, formOf } = useTextForm(props, ofBackends);
  const [chosen, setChosen] = useState<string>();
  const [isAdding, setIsAdding] = useState(false);
  if (!read)
    return (
      <EmptyState title="The text cannot be read">
        It has mistakes that a form cannot get past. Mend them in the text first.
      </EmptyState>
    );
  if (text.trim() === "")
    return (
      <div className="flex flex-col gap-3">
        {onText && (
          <div className="flex justify-end">
            <Button kind="quiet" onClick={onText}>
              Custom: write YAML
            </Button>
          </div>
        )}
        <TypeGrid
          noun="log backend type"
          groups={tiles}
          isTold
          onChoose={(type) => onChange(begun(type))}
        />
      </div>
    );
  const { backends, values } = read;
  const current = backends.find(({ id }) => id === chosen) ?? backends[0];
  const document = current?.document ?? 0;
  const form = current && formOf(document, current.path.length);

  const add = (type: string) => {
    setIsAdding(false);
    if (!isLogBackendType(type)) return;
    const place = placeForBackend(values[document], type);
    if (apply(document, [{ path: place, value: {} }], 0))
      setChosen([document, place[2], type].join("."));
  };
  return (
    <div className="flex flex-col gap-3">
      <section aria-label="Document" className="flex max-w-3xl flex-col gap-3">
        <DocumentFields value={values[document]} form={formOf(document, 1)} stored={stored} />
      </section>
      <section aria-label="Log backend" className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-2 border-b pb-3">
          {current && (
            <>
              <Icon name={backendIcon(current.type)} size={20} />
              <Select
                label="Log backend"
                value={current.id}
                options={backends.map(({ id, type, number }) => ({
                  value: id,
                  label: `${number}. ${backendLabel(type)}`,
                }))}
                onChange={setChosen}
              />
            </>
          )}
          {!readOnly && (
            <Button icon={<Plus size={14} strokeWidth={1.75} />} onClick={() => setIsAdding(true)}>
              Add a backend
            </Button>
          )}
          {!readOnly && current && (
            <Button
              kind="quiet"
              icon={<Trash2 size={14} strokeWidth={1.75} />}
              onClick={() => apply(document, [{ path: current.element, value: undefined }], 1)}
            >
              Remove this backend
            </Button>
          )}
        </div>
        {current && form ? (
          <OneBackend
            key={current.id}
            written={current}
            form={{
              ...form,
              errorAt: (at) =>
                at.length === current.path.length && !isTried ? undefined : form.errorAt(at),
            }}
          />
        ) : (
          <EmptyState title="No log backends yet">
            A backend that is added here is written into the text.
          </EmptyState>
        )}
      </section>
      {isAdding && (
        <Dialog
          title="Add a backend"
          size="large"
          keepOpenOnOutsidePress
          onClose={() => setIsAdding(false)}
        >
          <TypeGrid noun="log backend type" groups={tiles} isTold onChoose={add} />
        </Dialog>
      )}
    </div>
  );
}
