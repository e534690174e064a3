import { useEffect, useRef, useState } from "react";
import type { SupportedCheckType } from "@mainstay/contract/canary/index.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { TypeGrid } from "@mainstay/ui/choice/TypeGrid.tsx";
import { requiredText } from "@mainstay/ui/fields/check-field.ts";
import { TextField } from "@mainstay/ui/fields/TextField.tsx";
import { type Path, SchemaFormContext } from "@mainstay/ui/schema-form/form-context.ts";
import { SchemaFields } from "@mainstay/ui/schema-form/SchemaFields.tsx";
import { editYaml } from "@mainstay/contract/documents/text/edit-yaml.ts";
import type { TextFormProps } from "#lib/documents/document-kinds.ts";
import { CheckTypeIcon } from "../../check/CheckTypeIcon.tsx";
import { canaryTemplate } from "../canary-template.ts";
import { canaryFields } from "./canary-fields.ts";
import { checkFields } from "./check-fields.ts";
import { checkTypeLabel } from "#lib/documents/form/check-type-label.ts";
import type { WrittenCheck } from "./checks-in-text.ts";
import { CheckForm, unreadable } from "./CheckForm.tsx";
import { mainFields } from "./main-fields.ts";
import { TimeZoneContext } from "#lib/documents/form/ScheduleControl.tsx";
import { pickedType, typeTiles } from "./type-tiles.tsx";
import { useCheckForm } from "./use-check-form.ts";

/** The document of one check of which only its type is known. */
const begun = (tile: string): string => {
  const { type, begin } = pickedType(tile);
  const name = `my-${tile.toLowerCase()}`;
  const head = `apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata:
  name: ${name}
  namespace: default
spec:
  schedule: "@every 1m"
`;
  return editYaml(head, { document: 0, path: ["spec", type, 0], value: { name, ...begin } });
};

/** The same text with a check of another type in the place of its one check. */
function withType(text: string, tile: string, before: WrittenCheck): string {
  const { type, begin } = pickedType(tile);
  const document = { document: 0 };
  const name = before.check["name"] ?? `my-${tile.toLowerCase()}`;
  const without = editYaml(text, {
    ...document,
    path: before.path,
    value: undefined,
    keepSteps: 1,
  });
  return editYaml(without, { ...document, path: ["spec", type, 0], value: { name, ...begin } });
}

interface ShortFormProps {
  written: WrittenCheck;
  value: unknown;
  form: ReturnType<typeof useCheckForm>;
  readOnly: boolean;
}

/** What nearly every check needs, and no more. */
function ShortForm({ written, value, form: { apply, errorAt, formOf }, readOnly }: ShortFormProps) {
  const { type, check, path } = written;
  const { metadata, spec } = value as Record<string, Record<string, unknown> | undefined>;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const field = box.current?.querySelector("input");
    field?.focus();
    field?.select();
  }, []);
  const name = typeof check["name"] === "string" ? check["name"] : "";
  // The document of one check is called like it, unless somebody has called it otherwise.
  const isShared = (metadata?.["name"] ?? "") === name;
  const namePaths: Path[] = [[...path, "name"], ...(isShared ? [["metadata", "name"]] : [])];
  const rename = (text: string) =>
    apply(
      0,
      namePaths.map((at) => ({ path: at, value: text })),
      path.length,
    );
  const { head, own, more } = checkFields(type);
  const main = mainFields(type, check);
  const shapes = [...head, ...own, ...more].filter(({ key }) => main.includes(key));
  const { first } = canaryFields();
  const { timeZone } = spec ?? {};
  return (
    <TimeZoneContext value={typeof timeZone === "string" ? timeZone : undefined}>
      <div ref={box} className="flex max-w-3xl flex-col gap-3">
        <TextField
          label="Name"
          required
          value={name}
          readOnly={readOnly}
          autoComplete="off"
          spellCheck={false}
          error={
            name === ""
              ? requiredText
              : namePaths.map((at) => errorAt(0, at)).find((error) => error !== undefined)
          }
          onChange={rename}
        />
        <SchemaFormContext value={formOf(0, path.length)}>
          <SchemaFields
            fields={main.flatMap((key) => shapes.filter((shape) => shape.key === key))}
            value={check}
            path={path}
          />
        </SchemaFormContext>
        <SchemaFormContext value={formOf(0, 1)}>
          <SchemaFields fields={first} value={spec} path={["spec"]} />
        </SchemaFormContext>
      </div>
    </TimeZoneContext>
  );
}

/** A check that is being made: which type, then what nearly every check needs, then everything. */
export function NewCheckForm(props: TextFormProps) {
  const { text, onChange, onText, readOnly } = props;
  const form = useCheckForm(props);
  const [isPicking, setIsPicking] = useState(false);
  const [isWhole, setIsWhole] = useState(false);
  const isBlank = text.trim() === "";
  if (!form.read) return unreadable;
  const { checks, values } = form.read;
  const only = checks.length === 1 && values.length === 1 ? checks[0] : undefined;

  if (isBlank || (isPicking && only))
    return (
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p className="m-0 text-sm text-muted">What is to be checked?</p>
          <span className="flex flex-wrap gap-2">
            {!isBlank && <Button onClick={() => setIsPicking(false)}>Keep the type</Button>}
            {isBlank && (
              <>
                <Button kind="quiet" onClick={onText}>
                  Paste a document
                </Button>
                <Button
                  kind="quiet"
                  onClick={() => {
                    onChange(canaryTemplate);
                    onText?.();
                  }}
                >
                  Custom: write YAML
                </Button>
              </>
            )}
          </span>
        </div>
        <TypeGrid
          noun="check type"
          groups={typeTiles}
          isTold
          onChoose={(tile) => {
            setIsPicking(false);
            onChange(only ? withType(text, tile, only) : begun(tile));
          }}
        />
      </div>
    );
  const type: SupportedCheckType | undefined = only?.type;
  return (
    <div className="flex flex-col gap-3">
      {only && type && (
        <div className="flex flex-wrap items-center gap-2 border-b pb-3">
          <CheckTypeIcon type={type} size={20} />
          <span className="min-w-0 flex-1 truncate text-sm font-medium">
            {checkTypeLabel(type)}
          </span>
          {!readOnly && <Button onClick={() => setIsPicking(true)}>Change type</Button>}
          <Button aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
            {isWhole ? "Fewer fields" : "More fields"}
          </Button>
        </div>
      )}
      {only && !isWhole ? (
        <ShortForm
          key={only.type}
          written={only}
          value={values[0]}
          form={form}
          readOnly={readOnly}
        />
      ) : (
        <CheckForm {...props} />
      )}
    </div>
  );
}
