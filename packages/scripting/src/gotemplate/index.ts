export { gotemplate } from "./engine.ts";
export { renderText } from "./spec.ts";
