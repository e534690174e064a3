import type { WrittenSpec } from "@mainstay/contract";
import type { EncryptionConfig } from "../encryption.ts";
import type { Sealed } from "../sealing/sealed.ts";
import { createSealer } from "../sealing/sealer.ts";
import type { DocumentKind } from "./document-kind.ts";

/** What the columns `spec` and `sealed` hold; `at` is the way to the spec in what was sent. */
export function sealSpec(
  config: EncryptionConfig,
  { format, normalise }: Pick<DocumentKind, "format" | "normalise">,
  written: WrittenSpec,
  at: readonly (string | number)[],
): { spec: WrittenSpec; sealed?: Sealed } {
  const spec = normalise ? normalise(written) : written;
  if (!format.mapSecrets) return { spec };
  const sealer = createSealer(config, { name: format.name, map: format.mapSecrets });
  const { document, sealed } = sealer.seal(spec, at);
  return { spec: document, sealed };
}
