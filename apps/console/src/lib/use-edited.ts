import { useState } from "react";
import { ApiError } from "./api-error.ts";
import { db, eq, isNull, type TableName, type Where } from "./db.ts";

export interface Edited<T> {
  /** What the form shows: what was typed, and else what is there now. */
  values: T;
  change: (part: Partial<T>) => void;
  /** What somebody else has changed since the form was opened. */
  changedMeanwhile: readonly string[];
}

/**
 * A form over something that others may change while it is open: what was not touched follows, what was typed stays.
 * `latest` holds texts, numbers and booleans.
 */
export function useEdited<T extends object>(latest: T): Edited<T> {
  const [opened] = useState(latest);
  const [typed, setTyped] = useState<Partial<T>>({});
  return {
    values: { ...latest, ...typed },
    change: (part) => setTyped((before) => ({ ...before, ...part })),
    changedMeanwhile: Object.keys(latest).filter(
      (key) => latest[key as keyof T] !== opened[key as keyof T],
    ),
  };
}

/** What to tell of it, with the names that the fields have in the form. */
export const changedNotice = (
  noun: string,
  changed: readonly string[],
  labels: Readonly<Record<string, string | undefined>>,
): string | undefined => {
  const names = changed.flatMap((key) => labels[key] ?? []);
  return names.length === 0
    ? undefined
    : `Somebody else has changed this ${noun} meanwhile (${names.join(", ")}). Saving replaces it with what is here.`;
};

/** Changes a row only as it was seen: what somebody else has changed since is not overwritten unseen. */
export async function patchSeen<T extends TableName>(
  table: T,
  row: {
    where: Where<T>;
    seen: { updated_at?: string | null | undefined };
    changes: Parameters<typeof db.patch<T>>[2];
    noun: string;
  },
) {
  const { where, seen, changes, noun } = row;
  const updated_at = seen.updated_at ? eq(seen.updated_at) : isNull;
  try {
    return await db.patch(table, { ...where, updated_at }, changes);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw new ApiError(
      `Somebody else has changed or deleted this ${noun} meanwhile. Nothing was saved; what you typed is still here.`,
      { status: 409, request: error.request, cause: error },
    );
  }
}
