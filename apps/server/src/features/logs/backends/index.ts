import type { LogBackendType } from "@mainstay/contract";
import type { LogBackend } from "./log-backend.ts";

/** Those that this version asks; documents may hold others, which are held. */
const backends: Readonly<Partial<Record<LogBackendType, LogBackend<never>>>> = {};

export const findLogBackend = (type: LogBackendType): LogBackend<never> | undefined =>
  backends[type];
