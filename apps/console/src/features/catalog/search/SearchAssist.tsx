import { useMemo } from "react";
import { readSearch } from "@mainstay/contract/resource-selector/parse-search.ts";
import { type Offer, SearchAssist as AnySearchAssist } from "#lib/search-box/SearchAssist.tsx";
import { readSearches, rememberSearch } from "#lib/search-box/recent.ts";
import type { SearchAssistProps } from "#lib/search-box/SearchBox.tsx";
import { useSession } from "#lib/use-access.ts";
import { completingAt, segmentsOf } from "./completing.ts";
import { fieldMeant } from "./field-meant.ts";
import { SearchHelp } from "./SearchHelp.tsx";
import type { SearchedKind } from "./searched-kind.ts";
import { suggestionsFor } from "./suggestions.ts";
import { useKnownValues } from "./use-known-values.ts";

/** What helps with searches in the language of docs/search.md. */
export function SearchAssist({ of, ...props }: SearchAssistProps & { of: SearchedKind }) {
  const { text, caret, isOpen } = props;
  const { person } = useSession();
  const { segments, error } = useMemo(() => segmentsOf(text), [text]);
  const completing = useMemo(() => completingAt(text, caret), [text, caret]);
  const known = useKnownValues(of, completing, isOpen);
  const offers = useMemo((): readonly Offer[] => {
    if (!isOpen) return [];
    const recent = text.trim() === "" ? readSearches(of, person?.id) : [];
    return [...recent, ...suggestionsFor(completing, of, known)];
  }, [isOpen, text, of, person, completing, known]);
  const hint = useMemo(() => {
    const found = fieldMeant(text, of);
    return found && `"${found.said}" is no field. Is "${found.meant}" meant?`;
  }, [text, of]);
  return (
    <AnySearchAssist
      {...props}
      segments={segments}
      error={error}
      hint={hint}
      completing={completing}
      offers={offers}
      isReadable={(wanted) => readSearch(wanted).error === undefined}
      remember={(search) => rememberSearch(of, person?.id, search)}
      renderHelp={(onTry) => <SearchHelp of={of} onTry={onTry} />}
    />
  );
}
