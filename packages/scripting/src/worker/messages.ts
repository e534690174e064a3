import type { Language, Limits } from "../language.ts";
import type { Mapping, Value } from "../values.ts";
import type { Packed } from "./wire.ts";

/** What the threads say to each other. */

export interface Setup {
  limits: Limits;
  result: { values: number };
  /** Of the module with the functions that the program adds. */
  functions: string | undefined;
  /** The number of the job that is worked on now, or 0; read by the watchdog, which cannot ask. */
  current: SharedArrayBuffer;
}

export interface Job {
  id: number;
  language: Language;
  script: string;
  context: Packed;
  data: Packed | undefined;
  functions: readonly string[];
  /** Functions without arguments that answer with a member of `data`. */
  answers: readonly string[];
  /** It is compiled alone. */
  isCheck: boolean;
  delimiters: readonly [left: string, right: string] | undefined;
  isSpec: boolean;
}

export type Outcome =
  | { id: number; is: "result"; value: Packed; text: string }
  | { id: number; is: "mistake"; message: string; line?: number; column?: number; isLimit: boolean }
  /** Of ours, and not of the script. */
  | { id: number; is: "fault"; message: string; stack?: string };

/**
 * A function that the program adds: it answers from what the evaluation handed in beside the context, which scripts do
 * not see.
 */
export type AddedFunction = (data: Mapping, ...given: Value[]) => Value;
