import { defineSettings, setting, type SettingValues } from "#platform/config.ts";
import { toggle } from "#platform/config-values.ts";

export const catalogSettings = defineSettings({
  selfCatalog: setting({
    env: "SELF_CATALOG",
    flag: "--self-catalog",
    value: "true|false",
    help: "create a scraper of this machine on the very first start, unless the database may be that of several servers or SELF_CHECKS is false",
    default: "true",
    schema: toggle.prefault("true"),
  }),
});

declare module "#platform/config.ts" {
  interface Config extends SettingValues<typeof catalogSettings> {}
}
