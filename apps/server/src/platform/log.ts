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
