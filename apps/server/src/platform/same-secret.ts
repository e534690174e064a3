import { timingSafeEqual } from "node:crypto";

/** Whether two secrets are the same, in a time that does not tell how much of them is. */
export function isSameSecret(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
