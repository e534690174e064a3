import { ChevronDown, ChevronUp } from "lucide-react";
import type { ReactNode, Ref } from "react";
import { IconButton } from "../Button.tsx";

export interface SearchBoxProps {
  /** The name of what is searched. */
  label: string;
  placeholder: string;
  words: string;
  onWords: (words: string) => void;
  hasMatches: boolean;
  /** To the next match or the one before. */
  onMove: (step: 1 | -1) => void;
  /** Escape in an empty box: the keyboard goes back to what is searched. */
  onLeave: () => void;
  /** How many were found, and which one is shown. */
  status: string;
  inputRef: Ref<HTMLInputElement>;
  /** How it is searched. */
  children?: ReactNode;
}

/** Searches in a text: Enter goes on, Shift+Enter back, Escape empties and then leaves. */
export function SearchBox({ inputRef, ...props }: SearchBoxProps) {
  const { label, words, onWords, hasMatches, onMove } = props;
  return (
    <search className="flex min-w-0 flex-1 items-center gap-1">
      <input
        ref={inputRef}
        type="search"
        aria-label={`Search in ${label}`}
        placeholder={props.placeholder}
        spellCheck={false}
        value={words}
        onChange={(event) => onWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.preventDefault();
            onMove(event.shiftKey ? -1 : 1);
          }
          if (event.key === "Escape") {
            event.preventDefault();
            event.stopPropagation();
            if (words === "") props.onLeave();
            else onWords("");
          }
        }}
        className="field w-full max-w-64 min-w-24"
      />
      {props.children}
      {words !== "" && (
        <>
          <IconButton
            label="Previous match"
            disabled={!hasMatches}
            icon={<ChevronUp size={16} strokeWidth={1.75} />}
            onClick={() => onMove(-1)}
          />
          <IconButton
            label="Next match"
            disabled={!hasMatches}
            icon={<ChevronDown size={16} strokeWidth={1.75} />}
            onClick={() => onMove(1)}
          />
        </>
      )}
      <output className="shrink-0 text-xs whitespace-nowrap text-muted tabular-nums">
        {props.status}
      </output>
    </search>
  );
}
