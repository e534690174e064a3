import {
  type CodeJudge,
  isSet,
  kubeconfigFile,
  never,
  overHttp,
  socketIn,
} from "../code-judges.ts";
import { listUnder } from "../documents/list-under.ts";
import type { WrittenSpec } from "../documents/document-format.ts";
import type { CodeFinding, CodeKind } from "../server-code.ts";
import type { LogBackendType } from "./backend-types.ts";

/** This machine, unless another one is named. */
const unlessElsewhere =
  (kind: CodeKind): CodeJudge =>
  ({ host, connection }) =>
    isSet(host) || isSet(connection) ? undefined : kind;

/** A type without an entry does not compile. */
const judges: Record<LogBackendType, CodeJudge> = {
  file: unlessElsewhere("file"),
  // The journal is read by a program of systemd.
  journald: unlessElsewhere("program"),
  loki: overHttp,
  elasticsearch: ({ address, ...spec }) => overHttp({ ...spec, endpoint: address }),
  opensearch: ({ address, ...spec }) => overHttp({ ...spec, endpoint: address }),
  kubernetes: kubeconfigFile,
  postgres: socketIn("url", "connection"),
  cloudwatch: never,
  gcpCloudLogging: overHttp,
  azureLogAnalytics: overHttp,
};

const isMapping = (value: unknown): value is WrittenSpec =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What one backend reaches on the server's machine; a type that nobody has judged may reach anything. */
export const codeInLogBackend = (type: string, backend: WrittenSpec): CodeKind | undefined =>
  Object.hasOwn(judges, type) ? judges[type as LogBackendType](backend) : "unknown";

/** Everything in a LoggingBackend, as it was written, that reaches into the server's machine. */
export const codeInLoggingBackend = (source: WrittenSpec): CodeFinding[] =>
  listUnder(source.backends).flatMap((written, index) =>
    isMapping(written)
      ? Object.entries(written).flatMap(([type, backend]): CodeFinding[] => {
          const kind = isMapping(backend) ? codeInLogBackend(type, backend) : undefined;
          return kind ? [{ path: ["backends", index, type], kind, name: `${type}-${index}` }] : [];
        })
      : [],
  );
