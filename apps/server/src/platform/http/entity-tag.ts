import { createHash } from "node:crypto";

/** A weak entity tag that stands for a text. */
export const entityTag = (text: string): string =>
  `W/"${createHash("sha1").update(text).digest("base64url")}"`;

/** Whether whoever asks has it already, by the header `if-none-match`. */
export const isCurrent = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch
    ?.split(",")
    .some((item) => item.trim() === "*" || item.trim().replace(/^(W\/)?/, "W/") === etag) ?? false;
