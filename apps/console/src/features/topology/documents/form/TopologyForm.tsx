import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { consoleSource } from "@mainstay/contract/sources.ts";
import { isMapping } from "@mainstay/contract/topology/parts.ts";
import { topologyFormat } from "@mainstay/contract/topology/topology-format.ts";
import { Button, IconButton } from "@mainstay/ui/Button.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { TextField } from "@mainstay/ui/fields/TextField.tsx";
import { type SchemaForm, SchemaFormContext } from "@mainstay/ui/schema-form/form-context.ts";
import type { FieldShape } from "@mainstay/ui/schema-form/schema-fields.ts";
import { SchemaFields } from "@mainstay/ui/schema-form/SchemaFields.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import { toastDone, toastFailed } from "@mainstay/ui/toasts.ts";
import type { TextFormProps } from "#lib/documents/document-kinds.ts";
import { FormSection } from "#lib/documents/form/FormSection.tsx";
import { ownControls } from "#lib/documents/form/own-controls.ts";
import { type TextForm, useTextForm } from "#lib/documents/form/use-text-form.ts";
import { begunTopology } from "../begun-topology.ts";
import { ComponentTree } from "./ComponentTree.tsx";
import {
  componentsInText,
  listAt,
  nameOf,
  shownOf,
  type WrittenComponent,
} from "./components-in-text.ts";
import { LookupControl } from "./LookupControl.tsx";
import { PropertyControl } from "./PropertyControl.tsx";
import {
  beyondForm,
  componentFields,
  documentFields,
  forEachFields,
  knownOfComponent,
} from "./topology-fields.ts";

const none: readonly string[] = [];
const ofTopologies: TextForm<NonNullable<ReturnType<typeof componentsInText>>> = {
  format: topologyFormat,
  read: componentsInText,
  own: { ...ownControls, lookup: LookupControl, property: PropertyControl },
  suggestionsAt: () => none,
};

type Map = Readonly<Record<string, unknown>>;
const mapAt = (value: unknown, key: string): Map => {
  const found = isMapping(value) ? value[key] : undefined;
  return isMapping(found) ? found : {};
};
const isAnySet = (fields: readonly FieldShape[], value: Map) =>
  fields.some(({ key }) => value[key] !== undefined);

interface DocumentFieldsProps {
  value: unknown;
  form: SchemaForm;
  stored: TextFormProps["stored"];
}

/** What a topology is called, and when its components are looked up. */
function DocumentFields({ value, form, stored }: DocumentFieldsProps) {
  const { names, schedule, labels, more } = documentFields();
  const [metadata, spec] = [mapAt(value, "metadata"), mapAt(value, "spec")];
  return (
    <SchemaFormContext value={form}>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,220px),1fr))] gap-3">
        <SchemaFormContext value={stored === undefined ? form : { ...form, readOnly: true }}>
          <SchemaFields fields={names} value={metadata} path={["metadata"]} />
        </SchemaFormContext>
        {stored !== undefined && (
          <TextField
            label="Source"
            readOnly
            value={stored.source ?? consoleSource}
            onChange={() => undefined}
          />
        )}
      </div>
      <SchemaFields fields={schedule} value={spec} path={["spec"]} />
      <FormSection
        title="More of the topology"
        about="Type, icon, owner, labels, properties, health"
        isOpen={isAnySet(labels, metadata) || isAnySet(more, spec)}
      >
        <SchemaFields fields={labels} value={metadata} path={["metadata"]} />
        <SchemaFields fields={more} value={spec} path={["spec"]} />
      </FormSection>
    </SchemaFormContext>
  );
}

function OneComponent({ written, form }: { written: WrittenComponent; form: SchemaForm }) {
  const { component, path } = written;
  const { head, groups } = componentFields();
  const forEach = mapAt(component, "forEach");
  const finds = component["lookup"] !== undefined || component["forEach"] !== undefined;
  const whole = form.errorAt(path);
  const beyond = beyondForm(component, knownOfComponent());
  return (
    <SchemaFormContext value={form}>
      {whole !== undefined && (
        <p role="alert" className="m-0 text-sm text-unhealthy-fg">
          {whole}
        </p>
      )}
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,180px),1fr))] gap-3">
        <SchemaFields fields={head} value={component} path={path} />
      </div>
      {groups.map(({ title, about, fields }) => (
        <FormSection key={title} title={title} about={about} isOpen={isAnySet(fields, component)}>
          <SchemaFields fields={fields} value={component} path={path} />
          {title === "Lookup" && finds && (
            <FormSection
              title="For each that is found"
              about="What it gets beside what was found"
              isOpen={isAnySet(forEachFields(), forEach)}
            >
              <SchemaFields fields={forEachFields()} value={forEach} path={[...path, "forEach"]} />
            </FormSection>
          )}
        </FormSection>
      ))}
      {beyond.length > 0 && (
        <p className="m-0 text-xs break-words text-muted">In the YAML alone: {beyond.join(", ")}</p>
      )}
    </SchemaFormContext>
  );
}

const nameIn = (value: unknown, index: number): string => {
  const { name } = mapAt(value, "metadata");
  return `${index + 1}. ${typeof name === "string" && name !== "" ? name : "Without a name"}`;
};

/** A name that none of a list has yet. */
function freeName(list: readonly unknown[]): string {
  const taken = new Set(list.map((one) => (isMapping(one) ? one["name"] : undefined)));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? "new-component" : `new-component-${number}`;
    if (!taken.has(name)) return name;
  }
}

/** A text of topologies: what each is called, its components as a tree, and one of them. The text is what is edited. */
export function TopologyForm(props: TextFormProps) {
  const { text, onChange, onText, readOnly, isTried, stored } = props;
  const { read, apply, formOf, isWrongWithin } = useTextForm(props, ofTopologies);
  const [number, setNumber] = useState(0);
  const [chosen, setChosen] = useState<string>();
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const latest = useRef(text);
  useEffect(() => {
    latest.current = text;
  }, [text]);
  if (!read)
    return (
      <EmptyState title="The text cannot be read">
        It has mistakes that a form cannot get past. Mend them in the text first.
      </EmptyState>
    );
  if (text.trim() === "")
    return (
      <EmptyState
        title="No topology yet"
        actions={
          !readOnly && (
            <Button kind="primary" onClick={() => onChange(begunTopology)}>
              Begin a topology
            </Button>
          )
        }
      >
        It says what a system is made of, and how that is found out.
      </EmptyState>
    );
  const { values, trees } = read;
  const document = Math.min(number, values.length - 1);
  const value = values[document];
  const tree = trees[document] ?? [];
  const all = shownOf(tree, new Set());
  const current = all.find(({ id }) => id === chosen) ?? all[0];
  const form = current && formOf(document, current.path.length);

  const add = (path: readonly (string | number)[]) => {
    const list = listAt(value, path);
    const at = [...path, list.length];
    if (apply(document, [{ path: at, value: { name: freeName(list) } }], 0))
      setChosen([document, ...at].join("."));
  };
  const move = ({ list, index }: WrittenComponent, by: 1 | -1) => {
    const moved = [...listAt(value, list)];
    const to = index + by;
    if (to < 0 || to >= moved.length) return;
    moved.splice(to, 0, ...moved.splice(index, 1));
    if (apply(document, [{ path: list, value: moved }], 0))
      setChosen([document, ...list, to].join("."));
  };
  const remove = (one: WrittenComponent) => {
    const before = text;
    const next = all[all.findIndex(({ id }) => id === one.id) - 1];
    let after: string | undefined;
    const changed = apply(document, [{ path: one.path, value: undefined }], 1, (made) => {
      after = made;
    });
    if (!changed) return;
    setChosen(next?.id);
    toastDone(`${nameOf(one)} removed`, {
      label: "Undo",
      isUndo: true,
      onSelect: () =>
        latest.current === after
          ? onChange(before)
          : toastFailed("The document has changed since: it was not brought back."),
    });
  };
  const fold = (id: string, isFolded: boolean) => {
    const next = new Set(folded);
    if (isFolded) next.add(id);
    else next.delete(id);
    setFolded(next);
  };
  const siblings = current ? listAt(value, current.list).length : 0;

  return (
    <div className="flex flex-col gap-3">
      {values.length > 1 && (
        <Select
          label="Document"
          value={String(document)}
          options={values.map((one, index) => ({
            value: String(index),
            label: nameIn(one, index),
          }))}
          onChange={(next) => setNumber(Number(next))}
        />
      )}
      <section key={document} aria-label="Document" className="flex max-w-3xl flex-col gap-3">
        <DocumentFields value={value} form={formOf(document, 1)} stored={stored} />
      </section>
      <section aria-label="Components" className="flex flex-wrap items-start gap-4 border-t pt-3">
        <div className="flex max-w-full min-w-0 grow basis-60 flex-col gap-2">
          {tree.length > 0 && (
            <ComponentTree
              tree={tree}
              current={current}
              folded={folded}
              isWrong={(one) => isWrongWithin(document, one.path)}
              onChoose={setChosen}
              onFold={fold}
              onMove={readOnly ? undefined : move}
              onRemove={readOnly ? undefined : remove}
            />
          )}
          {!readOnly && (
            <Button
              className="self-start"
              icon={<Plus size={14} strokeWidth={1.75} />}
              onClick={() => add(["spec", "components"])}
            >
              Add a component
            </Button>
          )}
        </div>
        {current && form ? (
          <section
            key={current.id}
            aria-label="Component"
            className="flex max-w-3xl min-w-0 grow-[4] basis-[26rem] flex-col gap-3"
          >
            {!readOnly && (
              <div className="flex flex-wrap items-center gap-1.5">
                <Button
                  icon={<Plus size={14} strokeWidth={1.75} />}
                  onClick={() => {
                    fold(current.id, false);
                    add([...current.path, "components"]);
                  }}
                >
                  Add one within it
                </Button>
                <IconButton
                  label="Move up (Alt+↑ in the tree)"
                  icon={<ArrowUp size={14} strokeWidth={1.75} />}
                  disabled={current.index === 0}
                  onClick={() => move(current, -1)}
                />
                <IconButton
                  label="Move down (Alt+↓ in the tree)"
                  icon={<ArrowDown size={14} strokeWidth={1.75} />}
                  disabled={current.index >= siblings - 1}
                  onClick={() => move(current, 1)}
                />
                <IconButton
                  label="Remove this component"
                  icon={<Trash2 size={14} strokeWidth={1.75} />}
                  onClick={() => remove(current)}
                />
                {onText && (
                  <Button kind="quiet" className="ml-auto" onClick={onText}>
                    Open the YAML
                  </Button>
                )}
              </div>
            )}
            <OneComponent
              written={current}
              form={{
                ...form,
                errorAt: (at) =>
                  at.length === current.path.length && !isTried ? undefined : form.errorAt(at),
              }}
            />
          </section>
        ) : (
          <EmptyState title="No components yet">
            A component that is added here is written into the text.
          </EmptyState>
        )}
      </section>
    </div>
  );
}
