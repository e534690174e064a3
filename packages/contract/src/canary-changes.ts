/** What people change of canaries without opening their documents, many at a time: `POST /api/canary/changes`. */

/** Changes in one request. */
export const mostCanaryChanges = 50;

/** All of a document by which it is or could be paused: two annotations, and a field of its spec. */
export interface PauseMarks {
  paused: string | null;
  suspend: string | null;
  replicas: number | null;
}

type Labels = Record<string, string | null>;

export type CanaryChange = { canary: string } & (
  | { paused: boolean }
  /** Those that stood in it before, unless they are others now than `from`: somebody has paused or resumed it since. */
  | { marks: PauseMarks; from: PauseMarks }
  | {
      /** Those that are named; nothing takes one away. */
      labels: Labels;
      /** As these must be now, or it is refused: somebody has changed them since. */
      from?: Labels;
    }
  | { deleted: true }
  /** Takes checks, by their ids, out of the document; what is written around them stays. */
  | { removed: string[] }
  /** The document as it was written before a change, unless somebody has changed it since. */
  | { text: string; seen: string }
);

export interface CanaryChanged {
  canary: string;
  outcome: "changed" | "unchanged" | "deleted" | "refused";
  /** Why it was refused. */
  reason?: string;
  /** The change that takes it back. */
  undo?: CanaryChange;
}
