export { gotemplate } from "./engine.ts";
export { renderText } from "./render-text.ts";
