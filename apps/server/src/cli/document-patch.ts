import type { SavedDocument } from "@mainstay/contract";
import { createTwoFilesPatch } from "diff";
import { titleOf } from "./document-title.ts";

/** What a dry run would change of a document, as a unified diff of its texts. */
export function patchOf(document: SavedDocument): string {
  const { before = "", after = "", changes = [], outcome, drifted } = document;
  const title = titleOf(document);
  // Both sides of a secret look alike, and the server compares none: that one is written is said beside them.
  const secrets = changes
    .filter(({ secret }) => secret)
    .map(
      ({ path }) => `# ${path}: a secret is written; whether it is the stored one is not told\n`,
    );
  const patch = createTwoFilesPatch(
    outcome === "created" ? "/dev/null" : `server: ${title}`,
    outcome === "deleted" ? "/dev/null" : `files: ${title}`,
    before,
    after,
    undefined,
    undefined,
    { context: 3 },
  );
  // Without the line that the library draws over each.
  const drift = drifted
    ? "# It has drifted: somebody has changed it on the server since this source applied it.\n"
    : "";
  return `${drift}${secrets.join("")}${patch.slice(patch.indexOf("\n") + 1)}`;
}
