import { useMemo, useState } from "react";
import type { ConnectionType } from "@mainstay/contract/connections/connection-type.ts";
import { readStoredJson, writeStored } from "@mainstay/ui/browser-storage.ts";
import type { SourcedValue } from "@mainstay/ui/fields/SourcedField.tsx";
import { changedNotice } from "#lib/use-edited.ts";
import {
  type ConnectionContent,
  type ConnectionForm,
  formOf,
  isTyped,
  isTypedDraft,
  newForm,
  nothingTyped,
  type Typed,
  withoutSecrets,
  withTyped,
} from "./connection-form.ts";

const flat = (form: ConnectionForm): Record<string, string> => ({
  name: form.name,
  namespace: form.namespace,
  ...Object.fromEntries(
    Object.entries(form.fields).map(([key, value]) => [key, JSON.stringify(value)]),
  ),
});

/**
 * The form of a connection, stored or new: what was not touched follows what is stored, and what was typed survives
 * closing and reloading, but for secrets.
 */
export function useConnectionForm(
  type: ConnectionType,
  stored: (ConnectionContent & { id: string }) | null,
) {
  const draft = `mainstay.draft.connection.${stored?.id ?? `new.${type.type}`}`;
  const latest = useMemo(() => (stored ? formOf(type, stored) : newForm(type)), [type, stored]);
  const [opened] = useState(latest);
  const [begun] = useState(() => readStoredJson(draft, isTypedDraft));
  const [typed, setTyped] = useState<Typed>(begun ?? nothingTyped);
  const keep = (next: Typed) => {
    setTyped(next);
    const safe = withoutSecrets(type, next);
    writeStored(draft, isTyped(safe) ? JSON.stringify(safe) : null);
  };
  const was = flat(opened);
  const is = flat(latest);
  const labels = Object.fromEntries([
    ["name", "name"],
    ["namespace", "namespace"],
    ...type.fields.map(({ key, label }) => [key, label]),
  ]) as Record<string, string>;
  return {
    form: withTyped(latest, typed),
    isChanged: isTyped(typed),
    /** What is shown was begun before and not saved. */
    isBegun: begun !== undefined && isTyped(typed),
    /** What somebody else has changed meanwhile. */
    notice: changedNotice(
      "connection",
      Object.keys(is).filter((key) => was[key] !== is[key]),
      labels,
    ),
    change: (part: { name?: string; namespace?: string }) => keep({ ...typed, ...part }),
    changeField: (key: string, value: SourcedValue) =>
      keep({ ...typed, fields: { ...typed.fields, [key]: value } }),
    replace: (key: string, isReplaced: boolean) => {
      const { [key]: _gone, ...fields } = typed.fields;
      const others = typed.replaced.filter((one) => one !== key);
      keep(
        isReplaced
          ? { ...typed, replaced: [...others, key] }
          : { ...typed, fields, replaced: others },
      );
    },
    discard: () => keep(nothingTyped),
  };
}
export type ConnectionFormState = ReturnType<typeof useConnectionForm>;
