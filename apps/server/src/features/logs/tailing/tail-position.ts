/**
 * Where a tail is, as the id of its events: the number of the last line of the store that was looked at (0 where the
 * store is not followed), and the moment up to which the lines of other backends were.
 */
export interface TailPosition {
  number: number;
  moment: Date;
}

export const printPosition = ({ number, moment }: TailPosition): string =>
  `${number}~${moment.toISOString()}`;

/** Nothing for what was not printed here. */
export function readPosition(text: unknown): TailPosition | undefined {
  const found =
    typeof text === "string"
      ? /^(\d{1,15})~(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z)$/.exec(text)
      : undefined;
  const moment = new Date(found?.[2] ?? "");
  return found && !Number.isNaN(moment.getTime())
    ? { number: Number(found[1]), moment }
    : undefined;
}
