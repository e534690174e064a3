import { isUtf8 } from "node:buffer";
import { type Left, type LeftFile, Unreadable } from "#platform/outbound/left-files.ts";
import { HIDDEN, type Hider } from "#platform/sealing/hide-secrets.ts";
import type { ArtifactKeeper } from "../check-types/check-type.ts";

/** Bytes that are a text can be shown, and something in them replaced. */
export const isText = (content: Uint8Array): boolean =>
  isUtf8(content) && content.indexOf(0) === -1;

/**
 * Keeps files without the secrets of the run: in texts they are hidden as in results, any other file that holds one is
 * left out, since nobody knows what would become of it without. What is packed or encrypted is not looked into.
 */
export function hidingKeeper(
  keeper: ArtifactKeeper | undefined,
  hider: Hider | undefined,
): ArtifactKeeper | undefined {
  if (!keeper || !hider) return keeper;
  return { keep: (files, around) => keeper.keep(hidden(files, hider), around) };
}

async function* hidden(files: AsyncIterable<Left>, hider: Hider): AsyncGenerator<Left> {
  for await (const file of files) {
    const path = hider.message(file.path);
    yield "problem" in file ? { ...file, path } : { ...file, path, read: hiddenRead(file, hider) };
  }
}

const hiddenRead =
  (file: LeftFile, hider: Hider): LeftFile["read"] =>
  async (most) => {
    const content = await file.read(most);
    if (content === undefined) return undefined;
    const places = hider.places(content);
    if (places.length === 0) return content;
    if (!isText(content)) throw new Unreadable("it holds a secret of the check");
    const parts: Uint8Array[] = [];
    let from = 0;
    for (const [start, end] of places) {
      parts.push(content.subarray(from, start), Buffer.from(HIDDEN));
      from = end;
    }
    const clean = Buffer.concat([...parts, content.subarray(from)]);
    return clean.length > most ? undefined : clean;
  };
