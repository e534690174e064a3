import { randomInt } from "node:crypto";

/** Numbers and text that nobody can guess. */

const MOST = 10_000;

const charsBetween = (first: string, last: string): string[] =>
  Array.from({ length: last.codePointAt(0)! - first.codePointAt(0)! + 1 }, (_, place) =>
    String.fromCodePoint(first.codePointAt(0)! + place),
  );

const ascii = charsBetween(" ", "~");
const letters = ascii.filter((char) => /[A-Za-z]/.test(char));
const alphanumeric = ascii.filter((char) => /[A-Za-z0-9]/.test(char));
const fitting = ascii.filter((char) => /[A-Za-z0-9_.-]/.test(char));

function from(chars: readonly string[], count: number): string {
  if (!Number.isInteger(count) || count < 0 || count > MOST)
    throw new Error(`a random text has 0 to ${MOST} characters`);
  return Array.from({ length: count }, () => item(chars)).join("");
}

export const randomAscii = (count: number): string => from(ascii, count);
export const randomAlpha = (count: number): string => from(letters, count);
export const randomAlphanumeric = (count: number): string => from(alphanumeric, count);

/** Of letters, digits, `_`, `.` and `-`; or of the characters between two; or of those that a class like `[a-c]` has. */
export function randomString(count: number, set: readonly string[] = []): string {
  if (set.length === 2) {
    const [first, last] = set as [string, string];
    if (Array.from(first).length !== 1 || Array.from(last).length !== 1 || first > last)
      throw new Error('a random text is of the characters between two: "a", "z"');
    return from(charsBetween(first, last), count);
  }
  if (set.length === 1 && set[0] !== "") return from([...classOf(set[0]!)], count);
  return from(fitting, count);
}

function classOf(text: string): Set<string> {
  const inner = /^\[(.+)\]$/s.exec(text)?.[1] ?? text;
  return new Set(
    [...inner.matchAll(/(.)-(.)|(.)/gsu)].flatMap(([, first, last, one]) =>
      one !== undefined ? [one] : first! <= last! ? charsBetween(first!, last!).slice(0, 1000) : [],
    ),
  );
}

export function item<T>(items: readonly T[]): T {
  if (items.length === 0) throw new Error("a list without items has no random one");
  return items[randomInt(items.length)]!;
}

/** A whole number from one to another, both included. */
export function randomNumber(least = 0, most = 100): number {
  const [first, last] = [Math.ceil(least), Math.floor(most)];
  if (!(first <= last) || last - first >= 2 ** 47)
    throw new Error(`there is no random number from ${least} to ${most}`);
  return first + randomInt(last - first + 1);
}

export function randomFloat(least = 0, most = 1): number {
  if (!(least <= most)) throw new Error(`there is no random number from ${least} to ${most}`);
  return least + (randomInt(2 ** 47) / 2 ** 47) * (most - least);
}
