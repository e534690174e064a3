import type { LogBackendType } from "@mainstay/contract";
import { file } from "./file/file.ts";
import { journald } from "./journald/journald.ts";
import type { LogBackend } from "./log-backend.ts";

/** Those that this version asks; documents may hold others, which are held. */
const backends: Readonly<Partial<Record<LogBackendType, LogBackend<never>>>> = { file, journald };

export const findLogBackend = (type: LogBackendType): LogBackend<never> | undefined =>
  backends[type];
