/** A property as `/api/properties` gives it. */
export interface Property {
  name: string;
  value: string;
}

/** Features that are switched off together with another (document 1, section 6). */
const parents: Record<string, string> = {
  "settings.config_scraper": "config",
  "settings.topology": "topology",
  "settings.health": "health",
  "settings.job_history": "health",
};

/** A feature is off when a property `{feature}.disable` says `true`, or when the one it belongs to is off. */
export function isFeatureOff(properties: readonly Property[], feature: string): boolean {
  const own = properties.find(({ name }) => name === `${feature}.disable`);
  if (own) return own.value === "true";
  const parent = parents[feature];
  return parent !== undefined && isFeatureOff(properties, parent);
}
