import { isDuration, parseDuration } from "../duration.ts";

type Written = Readonly<Record<string, unknown>>;

const MINUTE = 60_000;
/** For what such a check does besides: making, reading, deleting. */
const besidesMs = MINUTE;
const junitMinutes = 5;

/** Also of types that are only kept, so of anything. */
const msOf = (text: unknown): number =>
  typeof text === "string" && isDuration(text) ? parseDuration(text) : 0;
const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

const ofDeadline = ({ deadline }: Written): number | undefined =>
  numberOf(deadline) > 0 ? numberOf(deadline) + besidesMs : undefined;

/** Of types that say in fields of their own how long they take; `timeout` of junit counts minutes. */
const own: Readonly<Record<string, (check: Written) => number | undefined>> = {
  pod: ofDeadline,
  namespace: ofDeadline,
  junit: ({ spec, timeout }) =>
    spec === undefined
      ? undefined
      : besidesMs +
        (typeof timeout === "string"
          ? msOf(timeout)
          : (numberOf(timeout) || junitMinutes) * MINUTE),
  kubernetesResource({ waitFor, checkRetries }) {
    const waiting = msOf((waitFor as Written | undefined)?.timeout);
    const { delay, timeout } = (checkRetries ?? {}) as Written;
    const trying = msOf(delay) + msOf(timeout);
    return waiting + trying > 0 ? waiting + trying + besidesMs : undefined;
  },
};

/** How long a check may take by what its type says, in milliseconds. */
export const ownTimeMs = (type: string, check: Written): number | undefined =>
  Object.hasOwn(own, type) ? own[type]!(check) : undefined;

/** Whether a number in `timeout` is of the type's own, and not of seconds. */
export const hasOwnTimeout = (type: string): boolean => type === "junit";
