import { CaseSensitive } from "lucide-react";
import type { Ref } from "react";
import { IconButton } from "../Button.tsx";
import { SearchBox } from "./SearchBox.tsx";
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

/** The search of a list of lines, which may tell capitals from small letters. */
export function LineSearchBox({ label, search, inputRef, onLeave }: LineSearchBoxProps) {
  return (
    <SearchBox
      label={label}
      placeholder="Search lines"
      words={search.words}
      onWords={search.setWords}
      hasMatches={search.matches.length > 0}
      onMove={search.move}
      onLeave={onLeave}
      status={describe(search)}
      inputRef={inputRef}
    >
      <IconButton
        label="Match case"
        aria-pressed={search.matchesCase}
        icon={<CaseSensitive size={16} strokeWidth={1.75} />}
        onClick={() => search.setMatchesCase(!search.matchesCase)}
      />
    </SearchBox>
  );
}
