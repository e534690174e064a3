import { pino, type Logger } from "pino";

export type Log = Logger;

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Names under which a secret may reach a log line, at the top or one or two levels down. */
const secretNames = [
  "password",
  "token",
  "secret",
  "authorization",
  "cookie",
  "certificate",
  "csrf_token",
  "session_token",
  "access_token",
  "sessionToken",
  "adminPassword",
  "databaseUrl",
  "migrationDatabaseUrl",
  "connectionString",
  "private_key",
  "privateKey",
  "passphrase",
  '["set-cookie"]',
  '["x-session-token"]',
];

/** Lines of the log, as they are written. */
export interface LogLines {
  /** @returns what ends it */
  listen(hear: (line: string) => void): () => void;
}

/** A log whose lines can be heard as well; what hears them may not log. */
export function createHeardLog(level: LogLevel): { log: Log; lines: LogLines } {
  const hearers = new Set<(line: string) => void>();
  const out = pino.destination(1);
  const log = createLog(level, {
    write(line) {
      out.write(line);
      for (const hear of hearers) hear(line);
    },
  });
  return {
    log,
    lines: {
      listen(hear) {
        hearers.add(hear);
        return () => hearers.delete(hear);
      },
    },
  };
}

/** Of a log that nobody hears. */
export const noLines: LogLines = { listen: () => () => undefined };

export function createLog(level: LogLevel, destination?: { write(line: string): void }): Log {
  const paths = secretNames.flatMap((name) => {
    const step = name.startsWith("[") ? name : `.${name}`;
    return [name, `*${step}`, `*.*${step}`];
  });
  const options = {
    level,
    base: undefined,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    redact: { paths, censor: "[redacted]" },
  };
  return destination ? pino(options, destination) : pino(options);
}
