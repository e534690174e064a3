import { Search } from "lucide-react";
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  Suspense,
  useId,
  useRef,
  useState,
} from "react";
import { classNames } from "@mainstay/ui/class-names.ts";
import { useDebouncedText } from "#lib/use-debounced.ts";
import { useSearchKey } from "#lib/use-search-key.ts";

/** What helps with writing a search, once it has been fetched. */
export interface SearchHelper {
  /** Whether the key was meant for the list of suggestions. */
  onKey: (event: KeyboardEvent) => boolean;
  /** Whether this can be asked; an error is shown otherwise. */
  isReadable: (text: string) => boolean;
  remember: (text: string) => void;
}

/** What of the list assistive technology must know at the field itself. */
export interface ListState {
  isOpen: boolean;
  active: string | undefined;
  error: string | undefined;
}

export interface SearchAssistProps {
  ref: Ref<SearchHelper>;
  id: string;
  text: string;
  caret: number;
  field: HTMLInputElement | null;
  /** What is typed is to be completed. */
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  /** Nothing has been typed for a while. */
  isSettled: boolean;
  isFocused: boolean;
  onText: (text: string, caret: number) => void;
  onSearch: (text: string) => void;
  /** It stands in the field and is asked at once. */
  onTry: (text: string) => void;
  onState: (state: ListState) => void;
}

const closed: ListState = { isOpen: false, active: undefined, error: undefined };

export interface SearchBoxProps {
  /** What helps with writing, for which it waits: nobody needs it who has not come to the field. */
  renderAssist: (props: SearchAssistProps) => ReactNode;
  /** How long typing must pause before it is searched for, in milliseconds. */
  delayMs: number;
  label: string;
  placeholder: string;
  /** What is searched for. */
  text: string;
  onSearch: (text: string) => void;
  className?: string;
}

/** A field for a search in a language: what is understood of it is coloured, and what could come next is offered. */
export function SearchBox(props: SearchBoxProps) {
  const { renderAssist, delayMs, label, placeholder, text, onSearch, className } = props;
  const id = useId();
  const [field, setField] = useState<HTMLInputElement | null>(null);
  const fieldRef = useRef<HTMLInputElement>(null);
  useSearchKey(fieldRef);
  const helper = useRef<SearchHelper>(null);
  const [settled, setSettled] = useState(text);
  const [isWanted, setIsWanted] = useState(false);
  const [isFocused, setIsFocused] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const [caret, setCaret] = useState(text.length);
  const [list, setList] = useState(closed);

  const search = (wanted: string) => {
    setSettled(wanted);
    // What cannot be read is not asked: what was found before stays, and the mistake is shown.
    if (helper.current?.isReadable(wanted) === false) return;
    if (wanted !== text) onSearch(wanted);
  };
  const [shown, setShown] = useDebouncedText(text, search, delayMs);
  const isAssisted = isWanted || shown !== "";
  const followCaret = () => setCaret(fieldRef.current?.selectionStart ?? 0);

  return (
    <span className={classNames("relative", className)}>
      <Search
        aria-hidden="true"
        size={14}
        strokeWidth={1.75}
        className="pointer-events-none absolute top-1/2 left-2 z-1 -translate-y-1/2 text-muted"
      />
      <input
        ref={(element) => {
          fieldRef.current = element;
          setField(element);
        }}
        type="search"
        role="combobox"
        aria-label={label}
        aria-keyshortcuts="/"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-expanded={list.isOpen}
        aria-controls={list.isOpen ? `${id}-list` : undefined}
        aria-activedescendant={list.isOpen ? list.active : undefined}
        aria-invalid={list.error !== undefined}
        aria-describedby={list.error === undefined ? undefined : `${id}-error`}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        maxLength={4_000}
        placeholder={placeholder}
        value={shown}
        onChange={(event) => {
          setShown(event.target.value);
          setCaret(event.target.selectionStart ?? event.target.value.length);
          setIsOpen(event.target.value !== "");
        }}
        onSelect={followCaret}
        onFocus={() => {
          setIsWanted(true);
          setIsFocused(true);
        }}
        onPointerEnter={() => setIsWanted(true)}
        onClick={() => setIsOpen(true)}
        onBlur={() => {
          setIsFocused(false);
          setIsOpen(false);
        }}
        onKeyDown={(event) => {
          if (helper.current?.onKey(event)) {
            event.preventDefault();
            event.stopPropagation();
            return;
          }
          if (event.key !== "Enter") return;
          setIsOpen(false);
          search(shown);
          if (shown.trim() !== "" && helper.current?.isReadable(shown) !== false)
            helper.current?.remember(shown);
        }}
        className={classNames(
          "field w-full pr-8 pl-7",
          // Its parts are drawn over it.
          list !== closed && shown !== "" && "text-fill-transparent",
        )}
      />
      {isAssisted && (
        <Suspense>
          {renderAssist({
            ref: helper,
            id,
            text: shown,
            caret,
            field,
            isOpen: isOpen && isFocused,
            onOpen: setIsOpen,
            isSettled: settled === shown,
            isFocused,
            onText: (next, place) => {
              setShown(next);
              setCaret(place);
              // React writes the text first; the caret stands behind what was chosen.
              queueMicrotask(() => fieldRef.current?.setSelectionRange(place, place));
            },
            onSearch: search,
            onTry: (example) => {
              setShown(example);
              search(example);
            },
            onState: setList,
          })}
        </Suspense>
      )}
    </span>
  );
}
