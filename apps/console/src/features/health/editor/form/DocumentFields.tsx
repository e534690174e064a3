import { TextField } from "@mainstay/ui/fields/TextField.tsx";
import { type SchemaForm, SchemaFormContext } from "@mainstay/ui/schema-form/form-context.ts";
import { SchemaFields } from "@mainstay/ui/schema-form/SchemaFields.tsx";
import { consoleSource } from "@mainstay/contract/sources.ts";
import { canaryFields } from "./canary-fields.ts";
import { FormSection } from "#lib/documents/form/FormSection.tsx";
import { scheduleInWords } from "#lib/documents/form/schedule-words.ts";
import { TimeZoneContext } from "#lib/documents/form/ScheduleControl.tsx";

type Map = Readonly<Record<string, unknown>>;
const mapAt = (value: unknown, key: string): Map => {
  const found = (value as Map | null | undefined)?.[key];
  return typeof found === "object" && found !== null ? (found as Map) : {};
};

/** What a document says of itself, in a few words. */
export function aboutDocument(value: unknown): string {
  const { name } = mapAt(value, "metadata");
  const { schedule, severity } = mapAt(value, "spec");
  const when = typeof schedule === "string" ? (scheduleInWords(schedule) ?? schedule) : undefined;
  return [name, when, severity].filter((part) => typeof part === "string").join(" · ");
}

/** What stands around the checks of a document: what it is called, when they run, how much they matter. */
export function DocumentFields({
  value,
  form,
  stored,
}: {
  value: unknown;
  form: SchemaForm;
  /** Nothing while it is new. */
  stored: { source: string | null } | undefined;
}) {
  const { names, labels, annotations, first, more } = canaryFields();
  const metadata = mapAt(value, "metadata");
  const spec = mapAt(value, "spec");
  const { timeZone } = spec;
  // Two fields of one meaning would be one too many: seconds are asked for where they are written.
  const asked = more.filter(({ key }) => key !== "interval" || spec[key] !== undefined);
  const isSet =
    asked.some(({ key }) => spec[key] !== undefined) || metadata["annotations"] !== undefined;
  return (
    <SchemaFormContext value={form}>
      <TimeZoneContext value={typeof timeZone === "string" ? timeZone : undefined}>
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
        <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,220px),1fr))] gap-3">
          <SchemaFields fields={first} value={spec} path={["spec"]} />
        </div>
        <SchemaFields fields={labels} value={metadata} path={["metadata"]} />
        <FormSection title="More of the document" isOpen={isSet}>
          <SchemaFields fields={asked} value={spec} path={["spec"]} />
          <SchemaFields fields={annotations} value={metadata} path={["metadata"]} />
        </FormSection>
      </TimeZoneContext>
    </SchemaFormContext>
  );
}
