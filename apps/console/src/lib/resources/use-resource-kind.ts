import { createContext, useContext } from "react";
import type { ResourceKind } from "../page.ts";

/** What all features declare. The console gives it; without it no kind is known. */
export const ResourcesContext = createContext<readonly ResourceKind[]>([]);

export const useResourceKind = (kind: string | null | undefined): ResourceKind | undefined =>
  useContext(ResourcesContext).find((one) => one.kind === kind);
