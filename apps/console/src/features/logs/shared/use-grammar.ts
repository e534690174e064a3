import { useQuery } from "@tanstack/react-query";
import type * as grammar from "../search/grammar.ts";

export type Grammar = typeof grammar;

export const loadGrammar = (): Promise<Grammar> => import("../search/grammar.ts");

/** What understands searches, once it is wanted and here; its patterns are as large as a page. */
export const useGrammar = (isWanted: boolean): Grammar | undefined =>
  useQuery({
    queryKey: ["logs", "grammar"],
    queryFn: loadGrammar,
    enabled: isWanted,
    staleTime: Infinity,
    gcTime: Infinity,
    structuralSharing: false,
    throwOnError: true,
  }).data;
