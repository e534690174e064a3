import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { TypeGrid } from "@mainstay/ui/choice/TypeGrid.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { type SchemaForm, SchemaFormContext } from "@mainstay/ui/schema-form/form-context.ts";
import type { FieldShape } from "@mainstay/ui/schema-form/schema-fields.ts";
import { SchemaFields } from "@mainstay/ui/schema-form/SchemaFields.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import type { TextFormProps } from "#lib/documents/document-kinds.ts";
import { CheckTypeIcon } from "../../check/CheckTypeIcon.tsx";
import { checkFields, isAskedFor } from "./check-fields.ts";
import { checkTypeLabel } from "#lib/documents/form/check-type-label.ts";
import { freeName, placeForCheck, type WrittenCheck } from "./checks-in-text.ts";
import { aboutDocument, DocumentFields } from "./DocumentFields.tsx";
import { FormSection } from "#lib/documents/form/FormSection.tsx";
import { pickedType, typeTiles } from "./type-tiles.tsx";
import { useCheckForm } from "./use-check-form.ts";

export const unreadable = (
  <EmptyState title="The text cannot be read">
    It has mistakes that a form cannot get past. Mend them in the text first.
  </EmptyState>
);

const nameOf = ({ type, check, path }: WrittenCheck) =>
  typeof check["name"] === "string" && check["name"] !== ""
    ? check["name"]
    : `${type} ${Number(path[2] ?? 0) + 1}`;

function OneCheck({ written, form }: { written: WrittenCheck; form: SchemaForm }) {
  const { type, check, path } = written;
  const { head, own: ownFields, scripts, more } = checkFields(type);
  // What is wrong with the check itself was asked for when its fields were.
  const whole = form.errorAt(path);
  const isSet = (fields: readonly FieldShape[]) =>
    fields.some(({ key }) => check[key] !== undefined);
  const fieldsOf = (fields: readonly FieldShape[]) => (
    <SchemaFields
      fields={fields.filter((field) => isAskedFor(type, field, check))}
      value={check}
      path={path}
    />
  );
  return (
    <SchemaFormContext value={form}>
      <div className="flex max-w-3xl flex-col gap-3">
        {whole !== undefined && (
          <p role="alert" className="m-0 text-sm text-unhealthy-fg">
            {whole}
          </p>
        )}
        {fieldsOf(head)}
        {fieldsOf(ownFields)}
        <FormSection title="Scripts" isOpen={isSet(scripts)}>
          {fieldsOf(scripts)}
        </FormSection>
        <FormSection title="More" isOpen={isSet(more)}>
          {fieldsOf(more)}
        </FormSection>
      </div>
    </SchemaFormContext>
  );
}

/** A text of documents: what stands around the checks, and the checks one by one. The text is what is edited. */
export function CheckForm(props: TextFormProps) {
  const { readOnly, isTried, stored } = props;
  const { read, apply, formOf } = useCheckForm(props);
  const [chosen, setChosen] = useState<string>();
  const [isAdding, setIsAdding] = useState(false);
  if (!read) return unreadable;
  const { checks, values } = read;
  const current = checks.find(({ id }) => id === chosen) ?? checks[0];
  const document = current?.document ?? 0;

  const add = (tile: string) => {
    setIsAdding(false);
    const { type, begin } = pickedType(tile);
    const place = placeForCheck(values[document], type);
    const value = { name: freeName(checks, type), ...begin };
    if (apply(document, [{ path: place, value }], 0))
      setChosen([document, type, place[2]].join("."));
  };
  const checkForm = current && formOf(document, current.path.length);

  return (
    <div className="flex flex-col gap-3">
      <section aria-label="Document" className="max-w-3xl">
        <FormSection
          key={document}
          title="Document"
          about={aboutDocument(values[document])}
          isOpen={stored === undefined || checks.length === 0}
        >
          <DocumentFields value={values[document]} form={formOf(document, 1)} stored={stored} />
        </FormSection>
      </section>
      <section aria-label="Check" className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-2 border-b pb-3">
          {current && (
            <>
              <CheckTypeIcon type={current.type} size={20} />
              <Select
                label="Check"
                value={current.id}
                options={checks.map((one) => ({
                  value: one.id,
                  label: `${nameOf(one)} (${checkTypeLabel(one.type)})`,
                }))}
                onChange={setChosen}
              />
            </>
          )}
          {!readOnly && (
            <Button icon={<Plus size={14} strokeWidth={1.75} />} onClick={() => setIsAdding(true)}>
              Add a check
            </Button>
          )}
          {!readOnly && current && (
            <Button
              kind="quiet"
              icon={<Trash2 size={14} strokeWidth={1.75} />}
              onClick={() => apply(document, [{ path: current.path, value: undefined }], 1)}
            >
              Remove this check
            </Button>
          )}
        </div>
        {current && checkForm ? (
          <OneCheck
            key={current.id}
            written={current}
            form={{
              ...checkForm,
              errorAt: (at) =>
                at.length === current.path.length && !isTried ? undefined : checkForm.errorAt(at),
            }}
          />
        ) : (
          <EmptyState title="No checks yet">
            A check that is added here is written into the text.
          </EmptyState>
        )}
      </section>
      {isAdding && (
        <Dialog
          title="Add a check"
          size="large"
          keepOpenOnOutsidePress
          onClose={() => setIsAdding(false)}
        >
          <TypeGrid noun="check type" groups={typeTiles} isTold onChoose={add} />
        </Dialog>
      )}
    </div>
  );
}
