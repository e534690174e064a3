import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { SearchBox as AnySearchBox } from "#lib/search-box/SearchBox.tsx";
import type { SearchedKind } from "./searched-kind.ts";

/** Document 2, section 9. */
const searchMs = 400;

const Assist = lazyPart(() => import("./SearchAssist.tsx").then((module) => module.SearchAssist));

export interface SearchBoxProps {
  of: SearchedKind;
  label: string;
  placeholder: string;
  /** What is searched for. */
  text: string;
  onSearch: (text: string) => void;
  className?: string;
}

/** A field for a search in the language of docs/search.md. */
export function SearchBox({ of, ...props }: SearchBoxProps) {
  return (
    <AnySearchBox
      {...props}
      delayMs={searchMs}
      renderAssist={(assist) => <Assist of={of} {...assist} />}
    />
  );
}
