import { useState } from "react";
import { readStoredJson, writeStored } from "../browser-storage.ts";

export interface ColumnState {
  hidden: Record<string, boolean>;
  sizes: Record<string, number>;
}

const isColumnState = (value: unknown): value is ColumnState =>
  typeof value === "object" && value !== null && "hidden" in value && "sizes" in value;

/** Which columns are hidden and how wide the others are, remembered under a key when there is one. */
export function useColumnState(storageKey: string | undefined) {
  const [state, setState] = useState<ColumnState>(
    () => (storageKey && readStoredJson(storageKey, isColumnState)) || { hidden: {}, sizes: {} },
  );
  const change = (next: ColumnState) => {
    setState(next);
    if (storageKey) writeStored(storageKey, JSON.stringify(next));
  };
  return [state, change] as const;
}
