/** What an http run keeps, as the console reads it. A target has its hand in it, and older runs kept less. */

export const phases = ["dns", "connect", "tls", "firstByte", "transfer"] as const;
export type Phase = (typeof phases)[number];

export interface HttpDetails {
  /** "503 Service Unavailable" */
  status: string | undefined;
  /** Where redirects led to. */
  address: string | undefined;
  headers: readonly (readonly [name: string, value: string])[];
  timings: readonly (readonly [phase: Phase, ms: number])[];
  /** The phase in which a run without an answer came to its end. */
  endedIn: Phase | undefined;
  content: string;
  isWholeContent: boolean;
  certificateLeftMs: number | undefined;
}

const longestContent = 4_096;

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
const numberOf = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
const entriesOf = (value: unknown) => (isMap(value) ? Object.entries(value) : []);

export function readHttpDetails(details: Record<string, unknown>): HttpDetails {
  const code = numberOf(details["code"]);
  const content = textOf(details["content"]) ?? "";
  const timings = isMap(details["timings"]) ? details["timings"] : {};
  return {
    status:
      code === undefined ? undefined : [code, textOf(details["reason"])].filter(Boolean).join(" "),
    address: textOf(details["address"]),
    headers: entriesOf(details["headers"])
      .map(([name, value]) => [name, String(value)] as const)
      .toSorted(([a], [b]) => a.localeCompare(b)),
    timings: phases.flatMap((phase) => {
      const ms = numberOf(timings[phase]);
      return ms === undefined ? [] : [[phase, ms] as const];
    }),
    endedIn: phases.find((phase) => phase === details["endedIn"]),
    content: content.slice(0, longestContent),
    isWholeContent: content.length <= longestContent && details["note"] === undefined,
    certificateLeftMs: numberOf(details["sslAge"]),
  };
}
