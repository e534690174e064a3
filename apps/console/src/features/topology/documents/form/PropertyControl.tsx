import { isMapping } from "@mainstay/contract/topology/parts.ts";
import type { ControlProps } from "@mainstay/ui/schema-form/form-context.ts";
import { SchemaFields } from "@mainstay/ui/schema-form/SchemaFields.tsx";
import { YamlControl } from "@mainstay/ui/schema-form/ScalarControls.tsx";
import { FormSection } from "#lib/documents/form/FormSection.tsx";
import { propertyFields } from "./topology-fields.ts";

/** One property: what it is and how much, and behind that where its value comes from and how it is shown. */
export function PropertyControl(props: ControlProps) {
  const { path, value, label } = props;
  if (value !== undefined && value !== null && !isMapping(value)) return <YamlControl {...props} />;
  const { head, more } = propertyFields();
  const property = isMapping(value) ? value : {};
  return (
    <>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,150px),1fr))] gap-2">
        <SchemaFields fields={head} value={property} path={path} />
      </div>
      <FormSection
        title={`More of ${label}`}
        about="Lookup, links, how it is shown"
        isOpen={more.some(({ key }) => property[key] !== undefined)}
      >
        <SchemaFields fields={more} value={property} path={path} />
      </FormSection>
    </>
  );
}
