import { useState } from "react";
import { readStoredJson, writeStored } from "../browser-storage.ts";
import { asDeclared, type ColumnState } from "./place-columns.ts";

const isColumnState = (value: unknown): value is Partial<ColumnState> =>
  typeof value === "object" && value !== null && "hidden" in value && "sizes" in value;

/** Which columns are hidden, stay in view, and how wide they are, remembered under a key when there is one. */
export function useColumnState(storageKey: string | undefined) {
  const [state, setState] = useState<ColumnState>(() => ({
    ...asDeclared,
    ...(storageKey && readStoredJson(storageKey, isColumnState)),
  }));
  const change = (next: ColumnState) => {
    setState(next);
    if (storageKey) writeStored(storageKey, JSON.stringify(next));
  };
  return [state, change] as const;
}
