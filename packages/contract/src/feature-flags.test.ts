import { expect, test } from "vitest";
import { isFeatureOff } from "./feature-flags.ts";

const property = (name: string, value: string) => ({ name, value });

test.each([
  [[], "health", false],
  [[property("health.disable", "true")], "health", true],
  [[property("health.disable", "false")], "health", false],
  [[property("logs.disable", "true")], "health", false],
  [[property("logs.disable", "true")], "settings.logging_backends", true],
  [[property("health.disable", "true")], "settings.health", true],
  [[property("health.disable", "true")], "settings.job_history", true],
  [[property("config.disable", "true")], "settings.config_scraper", true],
  [
    [property("health.disable", "true"), property("settings.health.disable", "false")],
    "settings.health",
    false,
  ],
])("with %j, %s is off: %s", (properties, feature, off) => {
  expect(isFeatureOff(properties, feature)).toBe(off);
});
