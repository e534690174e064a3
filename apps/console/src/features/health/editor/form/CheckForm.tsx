import { Plus, Trash2 } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { canaryFormat, checkSpecs, supportedCheckTypes } from "@mainstay/contract/canary/index.ts";
import { parseDocuments } from "@mainstay/contract/documents/parse-documents.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { TypeGrid } from "@mainstay/ui/choice/TypeGrid.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { requiredText } from "@mainstay/ui/fields/check-field.ts";
import {
  type Edit,
  type Path,
  type SchemaForm,
  SchemaFormContext,
} from "@mainstay/ui/schema-form/form-context.ts";
import type { FieldShape } from "@mainstay/ui/schema-form/schema-fields.ts";
import { SchemaFields } from "@mainstay/ui/schema-form/SchemaFields.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import { toastFailed } from "@mainstay/ui/toasts.ts";
import { editYaml } from "@mainstay/ui/yaml-editor/edit-yaml.ts";
import { messageOf } from "#lib/api-error.ts";
import type { TextFormProps } from "#lib/documents/document-kinds.ts";
import { checkTypeMarks } from "../../check/check-type-icon.ts";
import { checkFields, isAskedFor, suggestionsAt } from "./check-fields.ts";
import { checkTypeLabel } from "./check-type-labels.ts";
import { checksInText, freeName, placeForCheck, type WrittenCheck } from "./checks-in-text.ts";
import { ConnectionControl } from "./ConnectionControl.tsx";
import { ScriptControl } from "./ScriptControl.tsx";
import {
  NamedSecretControl,
  NamedValueControl,
  SecretControl,
  ValueControl,
} from "./ValueControls.tsx";

const own: SchemaForm["own"] = {
  value: ValueControl,
  secret: SecretControl,
  namedValue: NamedValueControl,
  namedSecret: NamedSecretControl,
  script: ScriptControl,
  connection: ConnectionControl,
};

const typeGroups = [
  {
    label: "Check types",
    items: supportedCheckTypes
      .map((type) => ({
        value: type,
        label: checkTypeLabel(type),
        help: checkSpecs[type].description ?? "",
        icon: <Icon name={type} mark={checkTypeMarks[type]} />,
      }))
      .toSorted((one, other) => one.label.localeCompare(other.label)),
  },
];

const nameOf = ({ type, check, path }: WrittenCheck) =>
  typeof check["name"] === "string" && check["name"] !== ""
    ? check["name"]
    : `${type} ${Number(path[2] ?? 0) + 1}`;

/** What is wrong with each place of the text. */
function usePlacedProblems(text: string, document: number) {
  return useMemo(() => {
    const { problems } = parseDocuments(text, { formats: [canaryFormat] });
    const found = problems.filter((one) => one.severity === "error" && one.document === document);
    return new Map(found.toReversed().map(({ path, message }) => [path, message]));
  }, [text, document]);
}

function Section({
  title,
  isOpen,
  children,
}: {
  title: string;
  isOpen: boolean;
  children: ReactNode;
}) {
  return (
    <details open={isOpen} className="rounded-card border">
      <summary className="cursor-pointer px-3 py-2 text-sm font-medium">{title}</summary>
      <div className="flex flex-col gap-3 border-t p-3">{children}</div>
    </details>
  );
}

function OneCheck({
  written,
  text,
  edit,
  readOnly,
  isTried,
}: {
  written: WrittenCheck;
  text: string;
  edit: (edits: readonly Edit[]) => void;
  readOnly: boolean;
  isTried: boolean;
}) {
  const { type, check, path, document } = written;
  const problems = usePlacedProblems(text, document);
  const { head, own: ownFields, scripts, more } = checkFields(type);
  const valueAt = (at: Path) =>
    at
      .slice(path.length)
      .reduce<unknown>((value, step) => (value as Record<string, unknown>)?.[step], check);
  const errorAt = (at: Path) => {
    const message = problems.get(at.join("."));
    if (message === undefined || valueAt(at) !== undefined) return message;
    // What is missing is told once it was asked for.
    return isTried ? requiredText : undefined;
  };
  const whole = isTried ? problems.get(path.join(".")) : undefined;
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
    <SchemaFormContext value={{ onEdit: edit, errorAt, readOnly, own, suggestionsAt }}>
      <div className="flex max-w-3xl flex-col gap-3">
        {whole !== undefined && (
          <p role="alert" className="m-0 text-sm text-unhealthy-fg">
            {whole}
          </p>
        )}
        {fieldsOf(head)}
        {fieldsOf(ownFields)}
        <Section title="Scripts" isOpen={isSet(scripts)}>
          {fieldsOf(scripts)}
        </Section>
        <Section title="More" isOpen={isSet(more)}>
          {fieldsOf(more)}
        </Section>
      </div>
    </SchemaFormContext>
  );
}

/** The checks of a text one by one, each as the form of its type. The text is what is edited. */
export function CheckForm({ text, onChange, readOnly, isTried }: TextFormProps) {
  const read = useMemo(() => checksInText(text), [text]);
  const [chosen, setChosen] = useState<string>();
  const [isAdding, setIsAdding] = useState(false);
  if (!read)
    return (
      <EmptyState title="The text cannot be read">
        It has mistakes that a form cannot get past. Mend them in the text first.
      </EmptyState>
    );
  const { checks, values } = read;
  const current = checks.find(({ id }) => id === chosen) ?? checks[0];

  const apply = (document: number, edits: readonly Edit[], keepSteps: number) => {
    try {
      onChange(
        edits.reduce((before, one) => editYaml(before, { ...one, document, keepSteps }), text),
      );
      return true;
    } catch (error) {
      toastFailed(messageOf(error));
      return false;
    }
  };
  const add = (type: string) => {
    setIsAdding(false);
    const document = current?.document ?? 0;
    const place = placeForCheck(values[document], type);
    if (apply(document, [{ path: place, value: { name: freeName(checks, type) } }], 0))
      setChosen([document, type, place[2]].join("."));
  };

  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2 border-b pb-3">
        {current && (
          <>
            <Icon name={current.type} mark={checkTypeMarks[current.type]} size={20} />
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
            onClick={() => apply(current.document, [{ path: current.path, value: undefined }], 1)}
          >
            Remove this check
          </Button>
        )}
      </div>
      {current ? (
        <OneCheck
          key={current.id}
          written={current}
          text={text}
          edit={(edits) => apply(current.document, edits, current.path.length)}
          readOnly={readOnly}
          isTried={isTried}
        />
      ) : (
        <EmptyState title="No checks yet">
          A check that is added here is written into the text.
        </EmptyState>
      )}
      {isAdding && (
        <Dialog
          title="Add a check"
          size="large"
          keepOpenOnOutsidePress
          onClose={() => setIsAdding(false)}
        >
          <TypeGrid noun="check type" groups={typeGroups} onChoose={add} />
        </Dialog>
      )}
    </div>
  );
}
