import type { z } from "zod";

/** A rule: the check says where it goes, by url, connection or another key. */
export const needsAddress =
  (type: string, others: readonly string[] = []) =>
  (spec: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
    if (["url", "connection", ...others].some((key) => spec[key])) return;
    context.addIssue({ code: "custom", path: [], message: `A check of ${type} needs a url.` });
  };
