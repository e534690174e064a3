import { mapCanarySecrets } from "@mainstay/contract";
import type { Config } from "#platform/config.ts";
import { createSealer, type Sealer } from "#platform/sealing/sealer.ts";

/** Of the specs of canaries (`canaries.spec`, `canaries.sealed`). */
export const canarySealer = (config: Pick<Config, "dataDir" | "encryptionKey">): Sealer =>
  createSealer(config, { name: "canary", map: mapCanarySecrets });
