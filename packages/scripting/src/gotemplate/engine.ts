import type { Engine } from "../language.ts";
import { joined, prepare, read, standard } from "./prepare.ts";
import { compileSpec } from "./spec.ts";

/** Go's text/template: `{{ }}` are replaced; what comes out has no white space around it. */
export const gotemplate: Engine = {
  compile(text, options = {}) {
    if (options.isSpec === true) return compileSpec(text, options);
    const { source, delimiters } = read(text);
    const run = prepare(source, delimiters ?? options.delimiters ?? standard, options);
    return { run: (context) => joined(run(context)).trim() };
  },
};
