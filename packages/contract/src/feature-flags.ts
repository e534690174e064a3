/**
 * Feature flags: a feature is switched off by a property `{feature}.disable` with the value `true`.
 * Source: product specification, document 1, section 6.
 */

/** Features that are switched off together with another, unless they have a property of their own. */
const parents: Readonly<Record<string, string>> = {
  "settings.config_scraper": "config",
  "settings.topology": "topology",
  "settings.health": "health",
  "settings.job_history": "health",
  "settings.logging_backends": "logs",
};

/** Whether a feature is off by its own property, or else by that of the feature it belongs to. */
export function isFeatureOff(
  properties: readonly { name: string; value: string }[],
  feature: string,
): boolean {
  const own = properties.find(({ name }) => name === `${feature}.disable`);
  if (own) return own.value === "true";
  const parent = Object.hasOwn(parents, feature) ? parents[feature] : undefined;
  return parent !== undefined && isFeatureOff(properties, parent);
}
