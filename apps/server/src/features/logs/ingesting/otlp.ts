import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { type LineLevel, lineLevelOf, lineLevels } from "@mainstay/contract";
import { invalid } from "#platform/errors.ts";
import { levelIn } from "../backends/line-of.ts";
import type { SaidLine } from "../store/incoming-line.ts";
import { isMapping } from "./json-value.ts";

/*
 * Logs as OpenTelemetry sends them (OTLP over HTTP), in both of its writings. Field numbers: opentelemetry-proto,
 * logs/v1/logs.proto and common/v1/common.proto.
 */

type Attributes = [name: string, value: unknown][];
interface OtlpRecord {
  time?: bigint | undefined;
  severity?: number | undefined;
  severityText?: string | undefined;
  body?: unknown;
  attributes: Attributes;
  traceId?: string | undefined;
  spanId?: string | undefined;
}
interface OtlpGroup {
  attributes: Attributes;
  scope?: string | undefined;
  records: OtlpRecord[];
}

const deepest = 16;

/** @throws invalid for what is no request of OTLP */
export function readOtlpJson(text: string): SaidLine[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid("The body is no JSON.");
  }
  if (!isMapping(value)) throw invalid("The body is no request of OTLP.");
  const groups = list(value.resourceLogs).flatMap((one): OtlpGroup[] => {
    const attributes = attributesOf(isMapping(one.resource) ? one.resource.attributes : undefined);
    return list(one.scopeLogs).map((scoped) => ({
      attributes,
      scope: isMapping(scoped.scope) ? textOrNothing(scoped.scope.name) : undefined,
      records: list(scoped.logRecords).map((record) => ({
        time: nanosOf(record.timeUnixNano) ?? nanosOf(record.observedTimeUnixNano),
        severity: typeof record.severityNumber === "number" ? record.severityNumber : undefined,
        severityText: textOrNothing(record.severityText),
        body: valueOf(record.body, 0),
        attributes: attributesOf(record.attributes),
        traceId: textOrNothing(record.traceId),
        spanId: textOrNothing(record.spanId),
      })),
    }));
  });
  return groups.flatMap(linesOf);
}

const list = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter((one) => isMapping(one)) : [];
const textOrNothing = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

function nanosOf(value: unknown): bigint | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && /^\d{1,19}$/.test(text) && !/^0+$/.test(text)
    ? BigInt(text)
    : undefined;
}

const attributesOf = (value: unknown): Attributes =>
  list(value).flatMap(({ key, value: said }): Attributes =>
    typeof key === "string" ? [[key, valueOf(said, 0)]] : [],
  );

function valueOf(value: unknown, depth: number): unknown {
  if (!isMapping(value) || depth > deepest) return undefined;
  if (isMapping(value.arrayValue))
    return list(value.arrayValue.values).map((one) => valueOf(one, depth + 1));
  if (isMapping(value.kvlistValue))
    return Object.fromEntries(
      list(value.kvlistValue.values).map(({ key, value: inner }) => [
        String(key),
        valueOf(inner, depth + 1),
      ]),
    );
  const plain =
    value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue ?? value.bytesValue;
  // Anything else is not what its name says.
  return typeof plain === "object" ? undefined : plain;
}

/** @throws invalid for what is no request of OTLP */
export function readOtlpProtobuf(bytes: Uint8Array): SaidLine[] {
  try {
    const groups: OtlpGroup[] = [];
    eachField(new BinaryReader(bytes), {
      1: (reader) => {
        const resource: Attributes = [];
        const scopes: OtlpGroup[] = [];
        eachField(within(reader), {
          1: (inner) => eachField(within(inner), { 1: (one) => resource.push(keyValue(one, 0)) }),
          2: (inner) => scopes.push(scopeLogs(within(inner), resource)),
        });
        groups.push(...scopes);
      },
    });
    return groups.flatMap(linesOf);
  } catch (error) {
    throw invalid(
      `The body is no request of OTLP: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}

type Fields = Readonly<Record<number, (reader: BinaryReader) => unknown>>;

function eachField(reader: BinaryReader, fields: Fields): void {
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    const read = fields[number];
    if (read) read(reader);
    else reader.skip(wire, number);
  }
}

const within = (reader: BinaryReader): BinaryReader => new BinaryReader(reader.bytes());

function scopeLogs(reader: BinaryReader, attributes: Attributes): OtlpGroup {
  const group: OtlpGroup = { attributes, records: [] };
  eachField(reader, {
    1: (inner) =>
      eachField(within(inner), {
        1: (one) => {
          group.scope = one.string() || undefined;
        },
      }),
    2: (inner) => group.records.push(logRecord(within(inner))),
  });
  return group;
}

function logRecord(reader: BinaryReader): OtlpRecord {
  const record: OtlpRecord = { attributes: [] };
  let observed: bigint | undefined;
  eachField(reader, {
    1: (one) => {
      record.time = BigInt(one.fixed64()) || undefined;
    },
    2: (one) => {
      record.severity = one.int32();
    },
    3: (one) => {
      record.severityText = one.string();
    },
    5: (one) => {
      record.body = anyValue(within(one), 0);
    },
    6: (one) => record.attributes.push(keyValue(one, 0)),
    9: (one) => {
      record.traceId = Buffer.from(one.bytes()).toString("hex");
    },
    10: (one) => {
      record.spanId = Buffer.from(one.bytes()).toString("hex");
    },
    11: (one) => {
      observed = BigInt(one.fixed64()) || undefined;
    },
  });
  record.time ??= observed;
  return record;
}

function keyValue(reader: BinaryReader, depth: number): [string, unknown] {
  let key = "";
  let value: unknown;
  eachField(within(reader), {
    1: (one) => {
      key = one.string();
    },
    2: (one) => {
      value = anyValue(within(one), depth);
    },
  });
  return [key, value];
}

function anyValue(reader: BinaryReader, depth: number): unknown {
  if (depth > deepest) throw new Error(`a value is nested more than ${deepest} deep`);
  let value: unknown;
  eachField(reader, {
    1: (one) => (value = one.string()),
    2: (one) => (value = one.bool()),
    3: (one) => (value = String(one.int64())),
    4: (one) => (value = one.double()),
    5: (one) => {
      const values: unknown[] = [];
      eachField(within(one), { 1: (inner) => values.push(anyValue(within(inner), depth + 1)) });
      value = values;
    },
    6: (one) => {
      const entries: Attributes = [];
      eachField(within(one), { 1: (inner) => entries.push(keyValue(inner, depth + 1)) });
      value = Object.fromEntries(entries);
    },
    7: (one) => (value = Buffer.from(one.bytes()).toString("base64")),
  });
  return value;
}

function linesOf({ attributes, scope, records }: OtlpGroup): SaidLine[] {
  const shared = labelsOf(attributes);
  return records.map((record) => {
    const own = labelsOf(record.attributes);
    return {
      ...(record.time !== undefined && { nanos: record.time }),
      message: textOf(record.body),
      level: levelOf(record) ?? levelIn(own),
      labels: {
        ...shared,
        ...(scope !== undefined && { scope }),
        ...own,
        ...(record.traceId && { trace_id: record.traceId }),
        ...(record.spanId && { span_id: record.spanId }),
      },
    };
  });
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
/** Of an attribute that is there twice the last counts. What other programs call the service is `service.name` here. */
const labelsOf = (attributes: Attributes): Record<string, string> =>
  Object.fromEntries(
    attributes.map(([name, value]) => [name === "service.name" ? "service" : name, textOf(value)]),
  );

/** Four numbers a level, from 1 on. Source: OpenTelemetry's data model of logs, SeverityNumber. */
function levelOf({ severity = 0, severityText = "" }: OtlpRecord): LineLevel | undefined {
  return severity >= 1 && severity <= 24
    ? lineLevels[Math.floor((severity - 1) / 4)]
    : lineLevelOf(severityText);
}

/** What an exporter is answered: that all were taken, or how many were not. */
export function otlpAnswer(
  refused: { count: number; message: string },
  as: "json" | "protobuf",
): object | Buffer {
  if (as === "json")
    return refused.count === 0
      ? {}
      : {
          partialSuccess: {
            rejectedLogRecords: String(refused.count),
            errorMessage: refused.message,
          },
        };
  const writer = new BinaryWriter();
  if (refused.count > 0)
    writer
      .tag(1, WireType.LengthDelimited)
      .fork()
      .tag(1, WireType.Varint)
      .int64(refused.count)
      .tag(2, WireType.LengthDelimited)
      .string(refused.message)
      .join();
  return Buffer.from(writer.finish());
}
