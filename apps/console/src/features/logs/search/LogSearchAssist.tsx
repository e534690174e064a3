import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { readLogSearch } from "@mainstay/contract/logs/parse-log-search.ts";
import { readSearches, rememberSearch } from "#lib/search-box/recent.ts";
import { type Offer, SearchAssist } from "#lib/search-box/SearchAssist.tsx";
import type { SearchAssistProps } from "#lib/search-box/SearchBox.tsx";
import { useSession } from "#lib/use-access.ts";
import type { LogsQuestion } from "../shared/logs-view.ts";
import { logQueries } from "../shared/queries.ts";
import { completingAt, offersFor, segmentsOf } from "./completing.ts";
import { LogSearchHelp } from "./LogSearchHelp.tsx";

const none: readonly never[] = [];

/** What helps with searches for log lines: labels and values are those of lines that came lately. */
export function LogSearchAssist({
  source,
  ...props
}: SearchAssistProps & { source: Pick<LogsQuestion, "id" | "name" | "backend"> }) {
  const { text, caret, isOpen } = props;
  const { person } = useSession();
  const { segments, error } = useMemo(() => segmentsOf(text), [text]);
  const completing = useMemo(() => completingAt(text, caret), [text, caret]);
  // Without them what is typed is as good: nobody is told that they could not be had.
  const labels = useQuery({ ...logQueries.labels(source), enabled: isOpen }).data ?? none;
  const offers = useMemo((): readonly Offer[] => {
    if (!isOpen) return none;
    const recent = text.trim() === "" ? readSearches("logs", person?.id) : none;
    return [...recent, ...offersFor(completing, labels)];
  }, [isOpen, text, person, completing, labels]);
  return (
    <SearchAssist
      {...props}
      segments={segments}
      error={error}
      completing={completing}
      offers={offers}
      isReadable={(wanted) => readLogSearch(wanted).error === undefined}
      remember={(search) => rememberSearch("logs", person?.id, search)}
      renderHelp={(onTry) => <LogSearchHelp onTry={onTry} />}
    />
  );
}
