import type { EnvVar } from "@mainstay/contract";

/** Who asks for a value. */
export interface Asker {
  /** Of the resource that names the value: names of secrets and config maps are of that namespace. */
  namespace: string;
  signal?: AbortSignal;
}

/**
 * Values that stand elsewhere: Kubernetes when the server has a cluster, files and the environment otherwise. What is
 * found is kept for five minutes (spec formats, section 2.1).
 */
export interface ValueSources {
  /** The text of a value that is written down or comes from elsewhere. @throws ValueMissing */
  resolve(value: EnvVar, asker: Asker): Promise<string>;
  /**
   * Of a text: `secret://name/key`, `configmap://name/key`, `helm://release/path` and `serviceaccount://name` are
   * resolved, every other is itself. @throws ValueMissing
   */
  resolveText(text: string, asker: Asker): Promise<string>;
}

/** The message names where the value should be and never holds one. */
export class ValueMissing extends Error {
  override readonly name = "ValueMissing";
}
