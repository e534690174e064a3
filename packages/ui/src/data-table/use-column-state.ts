import { useState } from "react";
import { readStoredJson, writeStored } from "../browser-storage.ts";
import type { Column } from "./column.ts";
import { asDeclared, type ColumnState, shownIds } from "./place-columns.ts";

const isColumnState = (value: unknown): value is Partial<ColumnState> =>
  typeof value === "object" && value !== null && "hidden" in value && "sizes" in value;

const readState = (storageKey: string | undefined): ColumnState => ({
  ...asDeclared,
  ...(storageKey && readStoredJson(storageKey, isColumnState)),
});

/** The columns that a table shows whose choices are kept under a key. */
export const readShownColumns = <Row>(columns: readonly Column<Row>[], storageKey: string) =>
  shownIds(columns, readState(storageKey));

/** Which columns are hidden, stay in view, and how wide they are, remembered under a key when there is one. */
export function useColumnState(storageKey: string | undefined) {
  const [state, setState] = useState<ColumnState>(() => readState(storageKey));
  const change = (next: ColumnState) => {
    setState(next);
    if (storageKey) writeStored(storageKey, JSON.stringify(next));
  };
  return [state, change] as const;
}
