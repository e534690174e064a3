import { missingValue, movedValue } from "./sealer.ts";

/** What the triggers of views.sql raise. */
const REFUSED = "MS001";

export interface RefusedSecret {
  path: (string | number)[];
  message: string;
}

/** The placeholders that a row could not keep, when that is what a statement failed with. */
export function refusedSecrets(error: unknown): RefusedSecret[] | undefined {
  const { code, detail } = error as { code?: unknown; detail?: unknown };
  if (code !== REFUSED || typeof detail !== "string") return undefined;
  const refused = JSON.parse(detail) as { at: (string | number)[]; why: "missing" | "moved" }[];
  return refused.map(({ at, why }) => ({
    path: at,
    message: why === "moved" ? movedValue : missingValue,
  }));
}
