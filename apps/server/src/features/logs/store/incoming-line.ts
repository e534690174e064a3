import { type LineLevel, lineLevels, logLimits } from "@mainstay/contract";
import { storableText } from "#platform/db/storable-text.ts";

/** A line as a program says it, whichever way it came. */
export interface SaidLine {
  /** Nanoseconds since 1970; now unless said. */
  nanos?: bigint;
  message: string;
  level?: LineLevel | undefined;
  labels?: Readonly<Record<string, string>>;
}

/** A line as it is stored. */
export interface StoredLine {
  /** Microseconds since 1970. */
  micros: number;
  nanos: number;
  /** Its place in `lineLevels`. */
  level: number | null;
  /** Characters of the whole message, where it was cut. */
  length: number | null;
  message: string;
  labels: Readonly<Record<string, string>>;
}

export const ingestLimits = {
  /** Labels of a line; those beyond are left out. */
  labels: 40,
  labelName: 128,
  labelValue: 1024,
  /** How far ahead of this server's clock a line may be dated. */
  aheadMs: 3_600_000,
} as const;

/** Why a line is not kept. */
export class RefusedLine extends Error {}

/** @throws RefusedLine for a moment that the store does not keep */
export function storeLine(
  said: SaidLine,
  { now, keptMs }: { now: Date; keptMs: number },
): StoredLine & { wasCut: boolean } {
  const at = said.nanos ?? BigInt(now.getTime()) * 1_000_000n;
  const ms = Number(at / 1_000_000n);
  if (ms < now.getTime() - keptMs)
    throw new RefusedLine(
      `its time is more than the ${Math.round(keptMs / 86_400_000)} days ago that lines are kept`,
    );
  if (ms > now.getTime() + ingestLimits.aheadMs)
    throw new RefusedLine("its time is more than an hour ahead");
  const isLong = said.message.length > logLimits.message;
  const entries = Object.entries(said.labels ?? {});
  const labels: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of entries.slice(0, ingestLimits.labels))
    labels[storableText(name, ingestLimits.labelName)] = storableText(
      value,
      ingestLimits.labelValue,
    );
  return {
    micros: Number(at / 1000n),
    nanos: Number(at % 1000n),
    level: said.level === undefined ? null : lineLevels.indexOf(said.level),
    length: isLong ? said.message.length : null,
    message: storableText(said.message, logLimits.message),
    labels,
    wasCut:
      isLong ||
      entries.length > ingestLimits.labels ||
      entries.some(
        ([name, value]) =>
          name.length > ingestLimits.labelName || value.length > ingestLimits.labelValue,
      ),
  };
}
