/**
 * Secrets of documents. A document holds the placeholder where a secret was written; the secret lies encrypted in a
 * column beside it that never leaves, by its path in the document. It is bound to the kind of document, the path and
 * the destination: it opens nowhere else, so nobody can have a stored password sent to a server of their own.
 */

/** A secret at rest. */
export interface SealedValue {
  /** Where the document sends it. */
  to: string;
  /** Tells whether the same was written again, to holders of the key only. */
  mac: string;
  value: string;
}

/** The placeholder came back: the row keeps what it has (`keep_sealed` in views.sql). */
export interface KeptValue {
  to: string;
  keep: true;
  /** The way to the placeholder in what was sent. */
  at: readonly (string | number)[];
}

/** The key that it was encrypted with is gone for ever: the place waits for its secret to be written again. */
export interface LostValue {
  to: string;
  lost: string;
}

/** By path; see `SecretPlace` of the contract. */
export type Sealed = Record<string, SealedValue | KeptValue | LostValue>;

/** Where secrets are to be written again. Kinds without secrets have no column for them. */
export const lostPaths = (sealed: Sealed | undefined): string[] =>
  Object.entries(sealed ?? {}).flatMap(([path, entry]) => ("lost" in entry ? [path] : []));
