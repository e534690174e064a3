import { mapCanarySecrets } from "@mainstay/contract";
import type { EncryptionConfig } from "#platform/encryption.ts";
import { createSealer, type Sealer } from "#platform/sealing/sealer.ts";

/** Of the specs of canaries (`canaries.spec`, `canaries.sealed`). */
export const canarySealer = (config: EncryptionConfig): Sealer =>
  createSealer(config, { name: "canary", map: mapCanarySecrets });
