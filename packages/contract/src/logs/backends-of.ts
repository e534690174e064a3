import { listUnder } from "../documents/list-under.ts";
import { type LogBackendType, logBackendTypes } from "./backend-types.ts";

type Written = Readonly<Record<string, unknown>>;

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** One backend of a document. */
export interface WrittenLogBackend {
  type: LogBackendType;
  /** Its place in the list. */
  index: number;
  /** Where it stands in the spec. */
  path: readonly (string | number)[];
  /** As it was written; `logBackendSpecs[type].parse` makes of it what is asked. */
  spec: Record<string, unknown>;
}

/** The backends of a spec, as it was written, in the order of the document. */
export const logBackendsOf = (spec: Written): WrittenLogBackend[] =>
  listUnder(spec.backends).flatMap((written, index) =>
    isMapping(written)
      ? logBackendTypes.flatMap((type): WrittenLogBackend[] => {
          const { [type]: one } = written;
          if (!isMapping(one)) return [];
          return [{ type, index, path: ["backends", index, type], spec: one }];
        })
      : [],
  );
