import { type CST, Parser } from "yaml";
import { secretPlaceholder } from "@mainstay/contract";
import { createHider } from "../../sealing/hide-secrets.ts";

/** A comment is kept as it was written, but for the secrets of its own document that it repeats. */
export function maskComments(text: string, secrets: readonly string[]): string {
  const hider = createHider(secrets);
  if (!hider || !text.includes("#")) return text;
  const found: { from: number; to: number }[] = [];
  for (const { offset, source } of commentsOf(text)) {
    for (const [from, to] of hider.places(Buffer.from(source))) {
      const bytes = Buffer.from(source);
      const start = offset + bytes.subarray(0, from).toString().length;
      found.push({ from: start, to: start + bytes.subarray(from, to).toString().length });
    }
  }
  let masked = text;
  for (const { from, to } of found.toReversed())
    masked = masked.slice(0, from) + secretPlaceholder + masked.slice(to);
  return masked;
}

/** How often secrets stand in a text, in any form that repeats them. */
export const countSecrets = (text: string, secrets: readonly string[]): number =>
  createHider(secrets)?.places(Buffer.from(text)).length ?? 0;

function commentsOf(text: string): { offset: number; source: string }[] {
  const found: { offset: number; source: string }[] = [];
  const open: unknown[] = [...new Parser().parse(text)];
  while (open.length > 0) {
    const token = open.pop();
    if (Array.isArray(token)) open.push(...(token as unknown[]));
    else if (typeof token === "object" && token !== null) {
      const { type, offset, source } = token as CST.SourceToken;
      if (type === "comment") found.push({ offset, source });
      else open.push(...Object.values(token));
    }
  }
  return found.toSorted((a, b) => a.offset - b.offset);
}
