import { resolve } from "node:path";
import { z } from "zod";
import { defineSettings, setting, type SettingValues } from "#platform/config.ts";

export const settingsSettings = defineSettings({
  propertiesFile: setting({
    env: "PROPERTIES_FILE",
    flag: "--properties-file",
    value: "file",
    help: "properties and feature flags of this server, name=value a line; they win over those in the database and cannot be edited in the console",
    schema: z
      .string()
      .transform((value) => resolve(value))
      .optional(),
  }),
});

declare module "#platform/config.ts" {
  interface Config extends SettingValues<typeof settingsSettings> {}
}
