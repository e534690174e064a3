export type {
  CompileOptions,
  Engine,
  HostFunction,
  Language,
  Limits,
  Program,
  Result,
} from "./language.ts";
export { defaultLimits, languages } from "./language.ts";
export { ScriptError } from "./script-error.ts";
export { type Context, Duration, isMapping, type Mapping, type Value } from "./values.ts";
