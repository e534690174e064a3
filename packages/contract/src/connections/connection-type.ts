/** A connection as its row holds it: what forms fill in, and what addresses are composed of. */
export interface ConnectionValues {
  url?: string | undefined;
  username?: string | undefined;
  password?: string | undefined;
  certificate?: string | undefined;
  insecure_tls?: boolean | undefined;
  properties?: Readonly<Record<string, string>> | undefined;
}

export type ConnectionColumn = "url" | "username" | "password" | "certificate" | "insecure_tls";
/** A column of the row, or one of its properties: `properties.region`. */
export type ConnectionFieldKey = ConnectionColumn | `properties.${string}`;

export type ConnectionInput = "text" | "number" | "checkbox" | "select" | "multiline";

/** One field of a type's form. What it holds is a text, that of a checkbox `true` or `false` among the properties. */
export interface ConnectionField {
  readonly key: ConnectionFieldKey;
  readonly label: string;
  /** What to write there, in one sentence; may be empty where the label says it. */
  readonly help: string;
  readonly input: ConnectionInput;
  readonly required: boolean;
  /** Never shown once it is stored. */
  readonly secret: boolean;
  /** May say where the value is (`secret://name/key`, `configmap://name/key`) instead of holding it. */
  readonly valueSource: boolean;
  readonly default?: string;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
}

/** A kind of system that connections lead to. */
export interface ConnectionType {
  /** As rows hold it. */
  readonly type: string;
  readonly label: string;
  /** What such a connection is for, in one line. */
  readonly help: string;
  /** What it is picked as: a system to read and act on, or a service that messages are sent through. */
  readonly kind: "connection" | "notification";
  /** In the order of the form. A type without a form has those that tell what is secret. */
  readonly fields: readonly ConnectionField[];
  /** Stored and used, and not offered when a connection is made. */
  readonly hidden?: boolean;
  /** The address of a service that has no field for one. Secrets in it are named, not written out. */
  composeUrl?(values: ConnectionValues): string;
  /** The host is the service's own whatever the address says, so that the address does not decide where secrets go. */
  readonly fixedService?: boolean;
}
