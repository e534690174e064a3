import type { Limits } from "../language.ts";
import type { Context } from "../values.ts";
import type { FunctionSet } from "./callable.ts";
import type { Template } from "./nodes.ts";
import type { Source } from "./source.ts";

/** A stretch of output: the document's own words, or what a value printed as. */
export interface Stretch {
  text: string;
  isValue: boolean;
  /** Where in the template it comes from. */
  at: number;
}

export interface Execution {
  source: Source;
  template: Template;
  functions: FunctionSet;
  context: Context;
  limits: Limits;
}
