import type { SavedDocument } from "@mainstay/contract";
import { kindCalled } from "./document-kinds.ts";

export const titleOf = ({
  kind,
  namespace,
  name,
}: Pick<SavedDocument, "kind" | "namespace" | "name">) =>
  `${kindCalled(kind).name} ${namespace}/${name}`;
