export * from "./log-answers.ts";
export * from "./line-level.ts";
export * from "./log-question.ts";
export * from "./log-search.ts";
export { parseLogSearch, readLogSearch } from "./parse-log-search.ts";
export { printLogSearch, printLogTerm } from "./print-log-search.ts";
