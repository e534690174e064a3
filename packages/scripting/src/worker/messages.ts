import type { MessagePort } from "node:worker_threads";
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
  /** By which scripts ask (`asking.ts`). */
  asking: MessagePort;
  /** How many answers have been sent; the thread waits until it changes. */
  answered: SharedArrayBuffer;
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
  /** Functions that the other thread answers while the script waits. */
  asks: readonly string[];
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

/** What a script asks of the other thread; its answer has the same number. */
export interface Question {
  number: number;
  /** Of the job that asks. */
  job: number;
  name: string;
  given: Packed;
}

export type Answer = { number: number; value: Packed } | { number: number; error: string };

/**
 * A function that the program adds: it answers from what the evaluation handed in beside the context, which scripts do
 * not see.
 */
export type AddedFunction = (data: Mapping, ...given: Value[]) => Value;
