import { placeOf } from "@mainstay/contract";
import { AppError } from "../errors.ts";
import type { DocumentKind } from "./document-kind.ts";

export interface KeptRow {
  name: string;
  namespace: string;
  source: string | null;
  /** What of the document that was applied means the row. */
  by?: "uid" | "name";
}

/** What was sent means a row that is kept in another place than it comes from. */
export class KeptElsewhere extends AppError {
  readonly by: "uid" | "name";

  constructor(
    { format }: Pick<DocumentKind, "format">,
    { name, namespace, source, by = "name" }: KeptRow,
  ) {
    const other = by === "uid" ? " Without its uid it is a document of its own." : "";
    super(
      "conflict",
      `The ${format.name} ${namespace}/${name} is kept in ${placeOf(source)}: change it there, or name that as the source.${other}`,
    );
    this.by = by;
  }
}
