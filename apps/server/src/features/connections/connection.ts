/** A connection as it is used: opened, value sources resolved, `url` and properties rendered. It holds secrets. */
export interface Connection {
  /** Absent of one that is an address in a document. */
  id?: string;
  name: string;
  namespace: string;
  /** For example `postgres`; empty of one that is an address in a document. */
  type: string;
  url?: string;
  username?: string;
  password?: string;
  certificate?: string;
  insecureTls: boolean;
  properties: Readonly<Record<string, string>>;
}

export interface ConnectionFinder {
  /**
   * What a reference means (spec formats, section 2.2): `connection://namespace/name`, `connection://name`, a uuid, or
   * an address. @throws ConnectionMissing
   */
  find(reference: string, asker: { namespace: string; signal?: AbortSignal }): Promise<Connection>;
}

/** The message names the reference, without a password in it. */
export class ConnectionMissing extends Error {
  override readonly name = "ConnectionMissing";
}
