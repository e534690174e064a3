/** A connection as the runner needs it: opened, its values resolved. */
export interface Connection {
  url?: string;
  username?: string;
  password?: string;
  certificate?: string;
  insecureTls: boolean;
  properties: Readonly<Record<string, string>>;
}

/** Whoever finds connections by the references of documents. @throws an error called ConnectionMissing */
export interface ConnectionFinder {
  find(reference: string, asker: { namespace: string; signal?: AbortSignal }): Promise<Connection>;
}

export const isConnectionMissing = (error: unknown): error is Error =>
  error instanceof Error && error.name === "ConnectionMissing";
