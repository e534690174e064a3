import { Dialog as Base } from "@base-ui/react/dialog";
import { Ellipsis, Search, X } from "lucide-react";
import {
  type KeyboardEvent,
  type ReactNode,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { classNames } from "../class-names.ts";
import { moveActive } from "./move-active.ts";
import { paletteOpened } from "./open-palette.ts";

export interface Command {
  /** Unlike any other of the palette. */
  id: string;
  label: string;
  /** Quieter, behind the label. */
  detail?: string | undefined;
  icon?: ReactNode;
  /** Further things can be done with it: `onMore`. */
  hasMore?: boolean;
}

export interface CommandGroup {
  label: string;
  commands: readonly Command[];
  /** Behind the label: that there are more, for example. */
  note?: string | undefined;
}

export interface CommandPaletteProps {
  /** The name of the dialog and of its text box. */
  label: string;
  placeholder: string;
  text: string;
  onText: (text: string) => void;
  /** Its text box has the keyboard. */
  onFocus?: () => void;
  /** Groups without commands are not shown. */
  groups: readonly CommandGroup[];
  onChoose: (id: string) => void;
  /** Tab on a command that has more, or a press on its button. */
  onMore?: (id: string) => void;
  /** What is shown belongs to something: its name, and the way back to where it was found. */
  within?: { label: string; onBack: () => void } | undefined;
  onClose: () => void;
  /** Said in place of a list that is empty. */
  emptyText: ReactNode;
  /** More is on its way. */
  isBusy?: boolean;
  /** Below the list: what could not be found out, and how to try again. */
  notice?: ReactNode;
}

const inView = (element: Element | null) => element?.scrollIntoView({ block: "nearest" });

/** A text box over a list of commands, in a dialog: type to narrow it, arrows to move, Enter to choose. */
export function CommandPalette(props: CommandPaletteProps) {
  const { label, text, onText, onChoose, onClose, isBusy = false, notice, within } = props;
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<string>();
  const groups = props.groups.filter(({ commands }) => commands.length > 0);
  const commands = groups.flatMap((group) => group.commands);
  // What was active and is gone leaves its place to the first.
  const index = Math.max(
    commands.findIndex(({ id }) => id === active),
    0,
  );
  const current = commands[index];
  const optionId = (id: string) => `${listId}-${id}`;
  useLayoutEffect(paletteOpened, []);

  const move = (to: number) => {
    setActive(commands[to]?.id);
    const options = list.current?.querySelectorAll('[role="option"]');
    inView(options?.[to] ?? null);
    // The heading above the first one is part of the top.
    if (to === 0) list.current?.scrollTo({ top: 0 });
  };
  // What is listed is another list then.
  const more = (id: string) => {
    setActive(undefined);
    props.onMore?.(id);
  };
  const back = () => {
    setActive(undefined);
    within?.onBack();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // What is being composed belongs to the input method.
    if (event.nativeEvent.isComposing || event.altKey || event.shiftKey) return;
    if (event.key === "Enter") {
      event.preventDefault();
      if (current) onChoose(current.id);
      return;
    }
    if (event.ctrlKey || event.metaKey) return;
    if (event.key === "Tab" && current?.hasMore && props.onMore) {
      event.preventDefault();
      more(current.id);
      return;
    }
    if (event.key === "Backspace" && text === "" && within) {
      event.preventDefault();
      back();
      return;
    }
    const to = moveActive(event.key, index, commands.length);
    if (to === undefined) return;
    event.preventDefault();
    move(to);
  };

  return (
    <Base.Root
      open
      onOpenChange={(open, details) => {
        if (open) return;
        // Escape goes back one step.
        if (within && details.reason === "escape-key") back();
        else onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-70 bg-scrim" />
        <Base.Popup
          initialFocus={input}
          className="floating fixed inset-x-0 top-[12dvh] z-70 mx-auto flex max-h-[min(560px,76dvh)] w-[min(640px,calc(100vw-16px))] flex-col overflow-hidden max-phone:top-2 max-phone:max-h-[calc(100dvh-16px)]"
        >
          <Base.Title className="sr-only">{label}</Base.Title>
          <div className="flex h-12 shrink-0 items-center gap-2.5 border-b px-3.5">
            <Search
              aria-hidden="true"
              size={16}
              strokeWidth={1.75}
              className="shrink-0 text-muted"
            />
            {within && (
              <span className="max-w-1/3 shrink-0 truncate rounded-control border bg-sunken px-1.5 py-0.5 text-xs font-medium">
                {within.label}
              </span>
            )}
            <input
              ref={input}
              role="combobox"
              aria-label={label}
              aria-autocomplete="list"
              aria-haspopup="listbox"
              aria-expanded={commands.length > 0}
              aria-controls={commands.length > 0 ? listId : undefined}
              aria-activedescendant={current && optionId(current.id)}
              aria-busy={isBusy}
              autoComplete="off"
              spellCheck={false}
              placeholder={props.placeholder}
              value={text}
              onChange={(event) => {
                // A list that narrows begins at its top again.
                setActive(undefined);
                list.current?.scrollTo({ top: 0 });
                onText(event.target.value);
              }}
              onFocus={props.onFocus}
              onKeyDown={onKeyDown}
              className="h-full min-w-0 flex-1 border-0 bg-transparent p-0 text-md outline-none"
            />
            <Base.Close className="flex h-5 shrink-0 items-center rounded-control border border-control bg-transparent px-1.5 font-mono text-2xs text-muted hover:bg-hover max-phone:h-7 max-phone:border-transparent">
              <span className="sr-only">Close</span>
              <span aria-hidden="true" className="max-phone:hidden">
                Esc
              </span>
              <X aria-hidden="true" size={16} strokeWidth={1.75} className="phone:hidden" />
            </Base.Close>
          </div>
          {commands.length > 0 ? (
            <div
              ref={list}
              id={listId}
              role="listbox"
              aria-label={label}
              className="min-h-0 flex-1 overflow-y-auto p-1.5"
            >
              {groups.map((group) => (
                <div key={group.label} role="group" aria-label={group.label}>
                  <div
                    aria-hidden="true"
                    className="flex items-baseline gap-2 px-2 pt-2 pb-1 text-2xs font-medium text-muted"
                  >
                    <span className="flex-1">{group.label}</span>
                    {group.note}
                  </div>
                  {group.commands.map((command) => (
                    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the keyboard stays in the text box, which names the active option
                    <div
                      key={command.id}
                      id={optionId(command.id)}
                      role="option"
                      aria-selected={command === current}
                      onPointerMove={() => setActive(command.id)}
                      onMouseDown={(event) => event.preventDefault()}
                      onClick={() => onChoose(command.id)}
                      className={classNames(
                        "flex h-8 cursor-pointer items-center gap-2.5 rounded-control px-2 text-sm select-none max-phone:h-10",
                        command === current && "bg-selected",
                      )}
                    >
                      {command.icon}
                      <span className="min-w-0 flex-initial truncate">{command.label}</span>
                      {command.detail !== undefined && (
                        <span className="min-w-0 flex-1 truncate text-right text-xs text-muted">
                          {command.detail}
                        </span>
                      )}
                      {command.hasMore && props.onMore && (
                        // The keyboard has Tab for it.
                        <span
                          aria-hidden="true"
                          className={classNames(
                            "shrink-0 rounded-control px-1.5 py-0.5 text-2xs text-muted hover:bg-hover hover:text-text",
                            command.detail === undefined && "ml-auto",
                            command !== current && "phone:invisible",
                          )}
                          // oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events -- as said above
                          onClick={(event) => {
                            event.stopPropagation();
                            more(command.id);
                          }}
                        >
                          <Ellipsis size={14} strokeWidth={1.75} />
                        </span>
                      )}
                    </div>
                  ))}
                </div>
              ))}
            </div>
          ) : (
            <div className="px-3.5 py-8 text-center text-sm text-muted">
              {isBusy ? "Searching …" : props.emptyText}
            </div>
          )}
          {notice !== undefined && notice !== null && (
            <div className="flex shrink-0 items-center gap-2 border-t px-3.5 py-2 text-xs">
              {notice}
            </div>
          )}
          <div className="flex h-8 shrink-0 items-center gap-4 border-t bg-sunken px-3.5 text-2xs text-muted max-phone:hidden">
            <span>↑ ↓ move</span>
            <span>{within ? "Enter does it" : "Enter opens"}</span>
            {current?.hasMore && <span>Tab: actions</span>}
            {within && <span>Esc back</span>}
            <span className="flex-1" />
            {isBusy && <span>Searching …</span>}
          </div>
          <div role="status" className="sr-only">
            {isBusy
              ? "Searching"
              : `${commands.length} ${commands.length === 1 ? "entry" : "entries"}`}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
