/**
 * What goes into scripts and comes out of them. Numbers of JSON are numbers here; a language that tells integers from
 * others decides by the value (`1.0` is an integer).
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Date
  | Duration
  | readonly Value[]
  | { readonly [key: string]: Value };

/** What a script can name: its variables. */
export type Context = Readonly<Record<string, Value>>;

/** A length of time, in nanoseconds as Go counts it. */
export class Duration {
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }
}

export type Mapping = { readonly [key: string]: Value };

export const isMapping = (value: Value): value is Mapping =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Uint8Array) &&
  !(value instanceof Date) &&
  !(value instanceof Duration);
