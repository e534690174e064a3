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
export { compileJsonPath, type JsonPath, type Location } from "./jsonpath/engine.ts";
export type { AddedFunction } from "./worker/messages.ts";
export {
  type Ask,
  createEvaluator,
  type Evaluation,
  type Evaluator,
  type EvaluatorOptions,
} from "./worker/evaluator.ts";
export { type Context, Duration, isMapping, type Mapping, type Value } from "./values.ts";
export { valueAsJson } from "./value-as-json.ts";
