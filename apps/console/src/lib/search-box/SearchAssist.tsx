import { CircleHelp, History } from "lucide-react";
import {
  type ReactNode,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
  useState,
} from "react";
import { classNames } from "@mainstay/ui/class-names.ts";
import { Popover } from "@mainstay/ui/Popover.tsx";
import type { SearchAssistProps } from "./SearchBox.tsx";

/** Parts of a search, one after the other, with what each is; `wrong` from the place of a mistake on. */
export interface Segment {
  kind: "plain" | "field" | "operator" | "value" | "word" | "sign" | "wrong";
  text: string;
}

/** What could come next in a search. */
export interface Offer {
  id: string;
  label: string;
  detail?: string;
  /** In place of what stands at the caret. */
  insert: string;
  /** Nothing more belongs to it: what comes next begins behind a space. */
  isWhole?: boolean;
  /** The whole search, in place of what is typed. */
  isRecent?: boolean;
}

const looks: Readonly<Record<Segment["kind"], string | undefined>> = {
  plain: undefined,
  word: undefined,
  value: "text-text",
  field: "text-accent",
  operator: "text-muted",
  sign: "text-muted",
  wrong: "underline decoration-unhealthy-fg decoration-wavy underline-offset-2",
};

export interface AssistProps extends SearchAssistProps {
  /** The parts of `text`, and what is wrong with it. */
  segments: readonly Segment[];
  error: { message: string; at?: number } | undefined;
  /** What may be meant by a search that can be read. */
  hint?: string | undefined;
  /** What stands at the caret; another object when it is something else. */
  completing: { typed: string; from: number; to: number };
  offers: readonly Offer[];
  isReadable: (text: string) => boolean;
  remember: (search: string) => void;
  /** How the language is written; `onTry` puts an example into the field. */
  renderHelp: (onTry: (example: string) => void) => ReactNode;
}

/** What was understood of a search, what could come next, and what is wrong. */
export function SearchAssist(props: AssistProps) {
  const { ref, id, text, field, isOpen, onOpen, isSettled, isFocused } = props;
  const { segments, error, completing, offers } = props;
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
    isReadable: props.isReadable,
    remember: props.remember,
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

  // What ends too early is being written while there is something to go on with.
  const isUnfinished = hasList && error?.at !== undefined && error.at >= text.length;
  const errorText = error && isSettled && !isUnfinished ? error.message : undefined;
  const hint = errorText === undefined && isSettled ? props.hint : undefined;
  const said = isFocused ? (errorText ?? hint) : undefined;
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
          {(close) =>
            props.renderHelp((example) => {
              close();
              props.onTry(example);
            })
          }
        </Popover>
      </span>
      <span
        className={classNames(
          "absolute top-[calc(100%+4px)] left-0 z-60 flex w-max max-w-[min(560px,calc(100vw-32px))] min-w-full flex-col text-sm",
          (hasList || said !== undefined) && "floating p-1",
        )}
      >
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
        {/* There before its text: only what changes in it is read out. */}
        <span
          id={`${id}-error`}
          role="status"
          className={classNames(
            "block",
            said !== undefined && "px-2 py-1",
            errorText === undefined ? "text-muted" : "text-unhealthy-fg",
          )}
        >
          {said !== undefined &&
            (errorText === undefined ? said : `${said[0]!.toUpperCase()}${said.slice(1)}.`)}
        </span>
      </span>
    </>
  );
}
