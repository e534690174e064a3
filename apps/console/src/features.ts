import { health } from "#features/health/index.ts";
import { identity } from "#features/identity/index.ts";
import type { ConsoleFeature } from "#lib/page.ts";
import { help } from "#features/help/index.ts";

/** What the console consists of, in the order of the sidebar. */
export const features: readonly ConsoleFeature[] = [health, help, identity];
