export { aboutQuery, type About } from "./about.ts";
export { isFeatureOff, type Property } from "./feature-flags.ts";
