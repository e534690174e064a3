import { defineSettings, setting, type SettingValues } from "#platform/config.ts";
import { size, span } from "#platform/config-values.ts";

export const logsSettings = defineSettings({
  logRetention: setting({
    env: "LOG_RETENTION",
    flag: "--log-retention",
    value: "duration",
    help: "how long lines of the server's own log store are kept, in whole days",
    default: "7d",
    schema: span("1d", "3650d").prefault("7d"),
  }),
  logStore: setting({
    env: "LOG_STORE",
    flag: "--log-store",
    value: "size",
    help: "how much room the server's own log store takes at most, indexes included; the oldest days go first",
    default: "4gb",
    schema: size.prefault("4gb"),
  }),
});

declare module "#platform/config.ts" {
  interface Config extends SettingValues<typeof logsSettings> {}
}
