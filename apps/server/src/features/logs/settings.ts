import { z } from "zod";
import { defineSettings, setting, type SettingValues } from "#platform/config.ts";
import { size, span, toggle, whole } from "#platform/config-values.ts";

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
  ownLog: setting({
    env: "OWN_LOG",
    flag: "--own-log",
    value: "true|false",
    help: "keep what this server logs (info and above) in its own log store",
    default: "true",
    schema: toggle.prefault("true"),
  }),
  syslogPort: setting({
    env: "SYSLOG_PORT",
    flag: "--syslog-port",
    value: "number",
    help: "port that takes syslog (RFC 5424 and 3164) over UDP and TCP into the log store; without it none",
    schema: whole(0, 65535).optional(),
  }),
  syslogHost: setting({
    env: "SYSLOG_HOST",
    flag: "--syslog-host",
    value: "address",
    help: "address that syslog is taken on; whoever reaches it may write lines",
    default: "127.0.0.1",
    schema: z
      .string()
      .regex(/^[\w.:%-]+$/, "must be an address of this machine")
      .default("127.0.0.1"),
  }),
});

declare module "#platform/config.ts" {
  interface Config extends SettingValues<typeof logsSettings> {}
}
