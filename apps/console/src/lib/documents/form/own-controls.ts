import type { SchemaForm } from "@mainstay/ui/schema-form/form-context.ts";
import { YamlControl } from "@mainstay/ui/schema-form/ScalarControls.tsx";
import type { Recognise } from "@mainstay/ui/schema-form/schema-fields.ts";
import { ScheduleControl } from "./ScheduleControl.tsx";
import { ScriptControl } from "./ScriptControl.tsx";
import {
  NamedSecretControl,
  NamedValueControl,
  SecretControl,
  ValueControl,
} from "./ValueControls.tsx";

/** What documents of every kind write alike, and no schema alone can tell. */
export const ownControls: SchemaForm["own"] = {
  value: ValueControl,
  secret: SecretControl,
  namedValue: NamedValueControl,
  namedSecret: NamedSecretControl,
  script: ScriptControl,
  manifest: YamlControl,
  schedule: ScheduleControl,
};

export const recogniseValue: Recognise = (schema, { key, isItem }) => {
  const objects = [schema, ...(schema.anyOf ?? [])];
  if (objects.some(({ properties }) => properties && "valueFrom" in properties)) {
    const isSecret = schema.writeOnly === true || objects.some(({ writeOnly }) => writeOnly);
    if (isItem) return isSecret ? "namedSecret" : "namedValue";
    return isSecret ? "secret" : "value";
  }
  const { properties } = schema;
  // An object of Kubernetes has fields that only its kind knows.
  if (properties && "apiVersion" in properties && "metadata" in properties) return "manifest";
  if (properties && "expr" in properties && "javascript" in properties) return "script";
  return key === "connection" && schema.type === "string" ? "connection" : undefined;
};
