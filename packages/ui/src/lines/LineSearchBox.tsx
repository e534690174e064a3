import { CaseSensitive, ChevronDown, ChevronUp } from "lucide-react";
import type { Ref } from "react";
import { IconButton } from "../Button.tsx";
import { mostMatches } from "./search-lines.ts";
import type { LineSearchState } from "./use-line-search.ts";

const number = new Intl.NumberFormat();

function describe(search: LineSearchState): string {
  const { matches, current, isSearching } = search;
  if (search.words === "") return "";
  if (matches.length === 0) return isSearching ? "…" : "No result";
  const total = `${number.format(matches.length)}${matches.length >= mostMatches || isSearching ? "+" : ""}`;
  return current < 0 ? total : `${number.format(current + 1)} of ${total}`;
}

export interface LineSearchBoxProps {
  label: string;
  search: LineSearchState;
  inputRef: Ref<HTMLInputElement>;
  /** Escape in an empty box: the keyboard goes back to the lines. */
  onLeave: () => void;
}

/** Searches in lines: Enter goes on, Shift+Enter back, Escape empties and then leaves. */
export function LineSearchBox({ label, search, inputRef, onLeave }: LineSearchBoxProps) {
  return (
    <search className="flex min-w-0 flex-1 items-center gap-1">
      <input
        ref={inputRef}
        type="search"
        aria-label={`Search in ${label}`}
        placeholder="Search lines"
        spellCheck={false}
        value={search.words}
        onChange={(event) => search.setWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.preventDefault();
            search.move(event.shiftKey ? -1 : 1);
          }
          if (event.key === "Escape") {
            event.preventDefault();
            event.stopPropagation();
            if (search.words === "") onLeave();
            else search.setWords("");
          }
        }}
        className="field w-full max-w-64 min-w-24"
      />
      <IconButton
        label="Match case"
        aria-pressed={search.matchesCase}
        icon={<CaseSensitive size={16} strokeWidth={1.75} />}
        onClick={() => search.setMatchesCase(!search.matchesCase)}
      />
      {search.words !== "" && (
        <>
          <IconButton
            label="Previous match"
            disabled={search.matches.length === 0}
            icon={<ChevronUp size={16} strokeWidth={1.75} />}
            onClick={() => search.move(-1)}
          />
          <IconButton
            label="Next match"
            disabled={search.matches.length === 0}
            icon={<ChevronDown size={16} strokeWidth={1.75} />}
            onClick={() => search.move(1)}
          />
        </>
      )}
      <output className="shrink-0 text-xs whitespace-nowrap text-muted tabular-nums">
        {describe(search)}
      </output>
    </search>
  );
}
