/** Why this server is not ready, in a sentence; undefined while it is. */
export type NotReady = () => string | undefined;

/** What its parts say about whether this server does its work, beside answering at all. */
export interface Readiness {
  /** Returns what takes it back. */
  watch(reason: NotReady): () => void;
  /** The first reason there is. */
  notReady: NotReady;
}

export function createReadiness(): Readiness {
  const reasons = new Set<NotReady>();
  return {
    watch(reason) {
      reasons.add(reason);
      return () => void reasons.delete(reason);
    },
    notReady() {
      for (const reason of reasons) {
        const found = reason();
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}
