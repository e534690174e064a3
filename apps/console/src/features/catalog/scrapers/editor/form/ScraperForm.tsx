import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { scrapeConfigFormat } from "@mainstay/contract/scrape-config/scrape-config-format.ts";
import { isScraperType } from "@mainstay/contract/scrape-config/scraper-types.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { TypeGrid } from "@mainstay/ui/choice/TypeGrid.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { TextField } from "@mainstay/ui/fields/TextField.tsx";
import { consoleSource } from "@mainstay/contract/sources.ts";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { type SchemaForm, SchemaFormContext } from "@mainstay/ui/schema-form/form-context.ts";
import type { FieldShape } from "@mainstay/ui/schema-form/schema-fields.ts";
import { SchemaFields } from "@mainstay/ui/schema-form/SchemaFields.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import type { TextFormProps } from "#lib/documents/document-kinds.ts";
import { FormSection } from "#lib/documents/form/FormSection.tsx";
import { ownControls } from "#lib/documents/form/own-controls.ts";
import { type TextForm, useTextForm } from "#lib/documents/form/use-text-form.ts";
import {
  scrapeConfigFields,
  scraperFields,
  scraperTiles,
  scraperTypeLabel,
} from "./scraper-fields.ts";
import { placeForScraper, scrapersInText, type WrittenScraper } from "./scrapers-in-text.ts";

const none: readonly string[] = [];
const ofScrapers: TextForm<NonNullable<ReturnType<typeof scrapersInText>>> = {
  format: scrapeConfigFormat,
  read: scrapersInText,
  own: ownControls,
  suggestionsAt: () => none,
};

const tiles = scraperTiles((type) => <Icon name={type} />);

type Map = Readonly<Record<string, unknown>>;
const mapAt = (value: unknown, key: string): Map => {
  const found = (value as Map | null | undefined)?.[key];
  return typeof found === "object" && found !== null ? (found as Map) : {};
};
const isAnySet = (fields: readonly FieldShape[], value: Map) =>
  fields.some(({ key }) => value[key] !== undefined);

interface DocumentFieldsProps {
  value: unknown;
  form: SchemaForm;
  stored: TextFormProps["stored"];
}

/** What a document of scrapers is called, and when they run. */
function DocumentFields({ value, form, stored }: DocumentFieldsProps) {
  const { names, first, more } = scrapeConfigFields();
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
      <SchemaFields fields={first} value={spec} path={["spec"]} />
      <FormSection title="More of the document" isOpen={isAnySet(more, spec)}>
        <SchemaFields fields={more} value={spec} path={["spec"]} />
      </FormSection>
    </SchemaFormContext>
  );
}

function OneScraper({ written, form }: { written: WrittenScraper; form: SchemaForm }) {
  const { type, scraper, path } = written;
  const { own, items, transform } = scraperFields(type);
  const whole = form.errorAt(path);
  const fieldsOf = (fields: readonly FieldShape[]) => (
    <SchemaFields fields={fields} value={scraper} path={path} />
  );
  return (
    <SchemaFormContext value={form}>
      <div className="flex max-w-3xl flex-col gap-3">
        {whole !== undefined && (
          <p role="alert" className="m-0 text-sm text-unhealthy-fg">
            {whole}
          </p>
        )}
        {fieldsOf(own)}
        <FormSection
          title="What becomes an item"
          about="Id, name, type, health, tags, properties"
          isOpen={isAnySet(items, scraper)}
        >
          {fieldsOf(items)}
        </FormSection>
        <FormSection
          title="Transform"
          about="Scripts, exclusions, masks, relationships, changes"
          isOpen={isAnySet(transform, scraper)}
        >
          {fieldsOf(transform)}
        </FormSection>
      </div>
    </SchemaFormContext>
  );
}

const begun = (type: string): string => `apiVersion: configs.flanksource.com/v1
kind: ScrapeConfig
metadata:
  name: my-${type.toLowerCase()}
  namespace: default
spec:
  schedule: "@every 10m"
  ${type}:
    - {}
`;

/** A text of scrapers: when they run, and each of them; one that is new begins with its type. The text is what is edited. */
export function ScraperForm(props: TextFormProps) {
  const { text, onChange, onText, readOnly, isTried, stored } = props;
  const { read, apply, formOf } = useTextForm(props, ofScrapers);
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
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p className="m-0 text-sm text-muted">What is to be read into the catalog?</p>
          {onText && (
            <Button kind="quiet" onClick={onText}>
              Custom: write YAML
            </Button>
          )}
        </div>
        <TypeGrid
          noun="scraper type"
          groups={tiles}
          isTold
          onChoose={(type) => onChange(begun(type))}
        />
      </div>
    );
  const { scrapers, values } = read;
  const current = scrapers.find(({ id }) => id === chosen) ?? scrapers[0];
  const document = current?.document ?? 0;
  const form = current && formOf(document, current.path.length);

  const add = (type: string) => {
    setIsAdding(false);
    if (!isScraperType(type)) return;
    const place = placeForScraper(values[document], type);
    if (apply(document, [{ path: place, value: {} }], 0))
      setChosen([document, type, place[2]].join("."));
  };
  return (
    <div className="flex flex-col gap-3">
      <section aria-label="Document" className="flex max-w-3xl flex-col gap-3">
        <DocumentFields value={values[document]} form={formOf(document, 1)} stored={stored} />
      </section>
      <section aria-label="Scraper" className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-2 border-b pb-3">
          {current && (
            <>
              <Icon name={current.type} size={20} />
              <Select
                label="Scraper"
                value={current.id}
                options={scrapers.map(({ id, type, number }) => ({
                  value: id,
                  label: `${scraperTypeLabel(type)} ${number}`,
                }))}
                onChange={setChosen}
              />
            </>
          )}
          {!readOnly && (
            <Button icon={<Plus size={14} strokeWidth={1.75} />} onClick={() => setIsAdding(true)}>
              Add a scraper
            </Button>
          )}
          {!readOnly && current && (
            <Button
              kind="quiet"
              icon={<Trash2 size={14} strokeWidth={1.75} />}
              onClick={() => apply(document, [{ path: current.path, value: undefined }], 1)}
            >
              Remove this scraper
            </Button>
          )}
        </div>
        {current && form ? (
          <OneScraper
            key={current.id}
            written={current}
            form={{
              ...form,
              errorAt: (at) =>
                at.length === current.path.length && !isTried ? undefined : form.errorAt(at),
            }}
          />
        ) : (
          <EmptyState title="No scrapers yet">
            A scraper that is added here is written into the text.
          </EmptyState>
        )}
      </section>
      {isAdding && (
        <Dialog
          title="Add a scraper"
          size="large"
          keepOpenOnOutsidePress
          onClose={() => setIsAdding(false)}
        >
          <TypeGrid noun="scraper type" groups={tiles} isTold onChoose={add} />
        </Dialog>
      )}
    </div>
  );
}
