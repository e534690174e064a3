import { CircleHelp, History } from "lucide-react";
import { useEffect, useEffectEvent, useImperativeHandle, useMemo, useRef, useState } from "react";
import { readSearch } from "@mainstay/contract/resource-selector/parse-search.ts";
import { classNames } from "@mainstay/ui/class-names.ts";
import { Popover } from "@mainstay/ui/Popover.tsx";
import { useSession } from "#lib/use-access.ts";
import { completingAt, type Segment, segmentsOf } from "./completing.ts";
import { readSearches, rememberSearch } from "./recent.ts";
import type { SearchAssistProps } from "./SearchBox.tsx";
import { SearchHelp } from "./SearchHelp.tsx";
import { type Suggestion, suggestionsFor } from "./suggestions.ts";
import { useKnownValues } from "./use-known-values.ts";

const looks: Readonly<Record<Segment["kind"], string | undefined>> = {
  plain: undefined,
  word: undefined,
  value: "text-text",
  field: "text-accent",
  operator: "text-muted",
  sign: "text-muted",
  wrong: "underline decoration-unhealthy-fg decoration-wavy underline-offset-2",
};

interface Offer extends Suggestion {
  /** The whole search, in place of what is typed. */
  isRecent?: boolean;
}

/** What was understood of a search, what could come next, and what is wrong. */
export function SearchAssist(props: SearchAssistProps) {
  const { ref, of, id, text, caret, field, isOpen, onOpen, isSettled, isFocused } = props;
  const { person } = useSession();
  const { segments, error } = useMemo(() => segmentsOf(text), [text]);
  const completing = useMemo(() => completingAt(text, caret), [text, caret]);
  const known = useKnownValues(of, completing, isOpen);
  const offers = useMemo((): readonly Offer[] => {
    if (!isOpen) return [];
    const recent =
      text.trim() === ""
        ? readSearches(of, person?.id).map((search) => ({
            id: `recent ${search}`,
            label: search,
            insert: search,
            isWhole: true,
            isRecent: true,
          }))
        : [];
    return [...recent, ...suggestionsFor(completing, of, known)];
  }, [isOpen, text, of, person, completing, known]);
  const [active, setActive] = useState<number>();
  const [before, setBefore] = useState(completing);
  if (before !== completing) {
    // Other suggestions: none of them has been looked at.
    setBefore(completing);
    setActive(undefined);
  }
  const chosen = active === undefined ? undefined : offers[active];
  const hasList = isOpen && offers.length > 0;

  const choose = ({ insert, isWhole, isRecent }: Offer) => {
    if (isRecent) {
      props.onText(insert, insert.length);
      onOpen(false);
      props.onSearch(insert);
      return;
    }
    const { from, to } = completing;
    const rest = text.slice(to);
    // The next term begins behind a space.
    const gap = isWhole && !/^[\s,)]/.test(rest) ? " " : "";
    props.onText(`${text.slice(0, from)}${insert}${gap}${rest}`, from + insert.length + gap.length);
    onOpen(true);
  };

  useImperativeHandle(ref, () => ({
    isReadable: (wanted) => readSearch(wanted).error === undefined,
    remember: (search) => rememberSearch(of, person?.id, search),
    onKey: (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing)
        return false;
      switch (event.key) {
        case "ArrowDown":
        case "ArrowUp": {
          if (!isOpen) {
            onOpen(true);
            return true;
          }
          if (offers.length === 0) return false;
          const step = event.key === "ArrowDown" ? 1 : -1;
          const at = active ?? (step === 1 ? -1 : offers.length);
          setActive((at + step + offers.length) % offers.length);
          return true;
        }
        case "Enter":
          if (!hasList || !chosen) return false;
          choose(chosen);
          return true;
        case "Tab": {
          const offer = chosen ?? (completing.typed === "" ? undefined : offers[0]);
          if (!hasList || event.shiftKey || !offer) return false;
          choose(offer);
          return true;
        }
        case "Escape":
          // What is typed is thrown away by the next one.
          if (!isOpen) return false;
          onOpen(false);
          return true;
        default:
          return false;
      }
    },
  }));

  const errorText = error && isSettled ? error.message : undefined;
  const tell = useEffectEvent(props.onState);
  const activeId = hasList && chosen ? `${id}-${active}` : undefined;
  useEffect(() => {
    tell({ isOpen: hasList, active: activeId, error: errorText });
  }, [hasList, activeId, errorText]);

  // What is drawn over the field goes where the field is scrolled to.
  const drawn = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!field) return;
    const follow = () => {
      if (drawn.current) drawn.current.scrollLeft = field.scrollLeft;
    };
    field.addEventListener("scroll", follow);
    return () => field.removeEventListener("scroll", follow);
  }, [field]);
  useEffect(() => {
    if (field && drawn.current) drawn.current.scrollLeft = field.scrollLeft;
  });
  useEffect(() => {
    document.getElementById(activeId ?? "")?.scrollIntoView({ block: "nearest" });
  }, [activeId]);

  return (
    <>
      {text !== "" && (
        <span
          aria-hidden="true"
          className="field pointer-events-none absolute inset-0 z-1 flex items-center border-transparent! bg-transparent! pr-8 pl-7 select-none"
        >
          <span ref={drawn} className="min-w-0 flex-1 overflow-hidden whitespace-pre">
            {segments.map((segment, place) =>
              segment.kind === "wrong" && !isSettled ? (
                segment.text
              ) : (
                <span key={place} className={looks[segment.kind]}>
                  {segment.text}
                </span>
              ),
            )}
          </span>
        </span>
      )}
      <span className="absolute top-1/2 right-0.5 z-1 -translate-y-1/2">
        <Popover
          label="How to search"
          align="end"
          renderTrigger={(trigger) => (
            <button
              type="button"
              aria-label="How to search"
              data-tooltip="How to search"
              className="flex size-6 items-center justify-center rounded-control border-0 bg-transparent p-0 text-muted hover:bg-hover hover:text-text"
              {...trigger}
            >
              <CircleHelp aria-hidden="true" size={14} strokeWidth={1.75} />
            </button>
          )}
        >
          {(close) => (
            <SearchHelp
              of={of}
              onTry={(example) => {
                close();
                props.onTry(example);
              }}
            />
          )}
        </Popover>
      </span>
      {(hasList || (errorText !== undefined && isFocused)) && (
        <span className="floating absolute top-[calc(100%+4px)] left-0 z-60 flex w-max max-w-[min(560px,calc(100vw-32px))] min-w-full flex-col p-1 text-sm">
          {hasList && (
            <div
              id={`${id}-list`}
              role="listbox"
              aria-label="Suggestions"
              className="flex max-h-80 flex-col overflow-y-auto"
            >
              {offers.map((offer, place) => (
                <button
                  type="button"
                  tabIndex={-1}
                  key={offer.id}
                  id={`${id}-${place}`}
                  role="option"
                  aria-selected={place === active}
                  // The field keeps the focus.
                  onPointerDown={(event) => event.preventDefault()}
                  onClick={() => choose(offer)}
                  className={classNames(
                    "flex min-h-7 shrink-0 items-center gap-3 rounded-control border-0 bg-transparent px-2 py-0.5 text-left hover:bg-hover",
                    place === active && "bg-selected!",
                  )}
                >
                  {offer.isRecent && (
                    <History
                      aria-hidden="true"
                      size={14}
                      strokeWidth={1.75}
                      className="shrink-0 text-muted"
                    />
                  )}
                  <bdi className="min-w-0 shrink-0 truncate">{offer.label}</bdi>
                  {offer.detail !== undefined && (
                    <span className="ml-auto min-w-0 truncate text-xs text-muted tabular-nums">
                      {offer.detail}
                    </span>
                  )}
                </button>
              ))}
            </div>
          )}
          {errorText !== undefined && isFocused && (
            <span id={`${id}-error`} role="status" className="block px-2 py-1 text-unhealthy-fg">
              {errorText[0]!.toUpperCase() + errorText.slice(1)}.
            </span>
          )}
        </span>
      )}
    </>
  );
}
