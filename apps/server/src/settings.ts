import {
  type Config,
  groundSettings,
  readSettings,
  type Setting,
  type Settings,
} from "#platform/config.ts";
import { features } from "./features.ts";

/** Everything that can be set from outside: the program's own settings, then those of its features. */
export const settings = gather([
  groundSettings,
  ...features.map((feature) => feature.settings ?? {}),
  // Each feature adds to the names of `Config` what it declares here; the test of this file holds the two equal.
]) as Readonly<Record<keyof Config, Setting<unknown>>>;

export const readConfig = (
  flags: Readonly<Record<string, string | undefined>>,
  env: NodeJS.ProcessEnv,
): Config => readSettings(settings, flags, env);

/** All in one. Each has a name, a variable and a flag of its own. */
export function gather(all: readonly Settings[]): Settings {
  const rows = all.flatMap((settings) => Object.entries(settings));
  const names = rows.flatMap(([key, { env, flag }]) => [key, env, flag]);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`Two settings are called ${twice}.`);
  return Object.fromEntries(rows);
}
