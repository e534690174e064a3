import { defineSettings, setting, type SettingValues } from "#platform/config.ts";
import { isHostPort, size, span, toggle, whole, words } from "#platform/config-values.ts";

export const healthSettings = defineSettings({
  checkConcurrency: setting({
    env: "CHECK_CONCURRENCY",
    flag: "--check-concurrency",
    value: "number",
    help: "canaries that one worker runs at the same time",
    default: "256",
    schema: whole(1, 10_000).prefault("256"),
  }),
  networkProbe: setting({
    env: "NETWORK_PROBE",
    flag: "--network-probe",
    value: "targets",
    help: "comma list of host:port; when none answers, this machine has lost its network and network checks become unknown",
    schema: words.refine((items) => items.every(isHostPort), "must be a comma list of host:port"),
  }),
  artifactRetention: setting({
    env: "ARTIFACT_RETENTION",
    flag: "--artifact-retention",
    value: "duration",
    help: "how long files of checks are kept, at most as long as the results they belong to",
    default: "30d",
    schema: span("1h", "30d").prefault("30d"),
  }),
  artifactStore: setting({
    env: "ARTIFACT_STORE",
    flag: "--artifact-store",
    value: "size",
    help: "how much the database keeps of files of checks, all together; 0 keeps none",
    default: "1gb",
    schema: size.prefault("1gb"),
  }),
  selfChecks: setting({
    env: "SELF_CHECKS",
    flag: "--self-checks",
    value: "true|false",
    help: "create checks of Mainstay itself on the very first start",
    default: "true",
    schema: toggle.prefault("true"),
  }),
});

declare module "#platform/config.ts" {
  interface Config extends SettingValues<typeof healthSettings> {}
}
