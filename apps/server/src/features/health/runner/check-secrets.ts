import { type CanaryCheck, checkSecretPlaces } from "@mainstay/contract";
import { whyNotOpened, writtenSecrets } from "#features/connections/index.ts";

type Check = Pick<CanaryCheck, "type" | "spec">;

/** Everything of a check that must not show in its results. */
export const checkSecrets = ({ type, spec }: Check): string[] =>
  writtenSecrets(spec, checkSecretPlaces(type, spec));

/** Why a check cannot be run with the secrets it has. */
export const whyCheckNotOpened = ({ type, spec }: Check, unopened?: string): string | undefined =>
  whyNotOpened(checkSecretPlaces(type, spec), unopened);
