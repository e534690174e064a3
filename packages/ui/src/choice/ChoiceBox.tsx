import { Combobox } from "@base-ui/react/combobox";
import { Check, ChevronDown, X } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "../class-names.ts";
import type { FieldControl } from "../fields/Field.tsx";
import type { Choice } from "./choice.ts";

const mostListed = 200;

export interface ChoiceBoxProps {
  control: FieldControl;
  label: string;
  chosen: readonly Choice[];
  items: readonly Choice[];
  onChange: (chosen: readonly Choice[]) => void;
  /** Only one may be chosen: the next choice takes its place. */
  isSingle: boolean;
  text: string;
  onText: (text: string) => void;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  /** The items are what was found already; nothing is filtered here. */
  isFound: boolean;
  /** Shown above the list and read out when it changes. */
  status?: ReactNode;
  emptyText: string;
  placeholder: string | undefined;
  disabled: boolean;
}

function ChosenChip({ choice }: { choice: Choice }) {
  return (
    <Combobox.Chip
      aria-label={choice.label}
      aria-description="Press Backspace or Delete to remove"
      data-tooltip={
        choice.detail === undefined ? choice.label : `${choice.label}\n${choice.detail}`
      }
      className="flex h-5.5 max-w-full min-w-0 cursor-default items-center gap-1 rounded-control border bg-sunken pr-0.5 pl-1.5 text-xs outline-none focus-within:bg-selected data-highlighted:bg-selected"
    >
      {choice.icon}
      <span className="truncate">{choice.label}</span>
      <Combobox.ChipRemove
        aria-label={`Remove ${choice.label}`}
        className="flex size-4.5 shrink-0 items-center justify-center rounded-control border-0 bg-transparent p-0 text-muted hover:bg-hover hover:text-text"
      >
        <X aria-hidden="true" size={12} strokeWidth={2} />
      </Combobox.ChipRemove>
    </Combobox.Chip>
  );
}

/** A text box with a list of what matches; what is chosen stands in the box. */
export function ChoiceBox(props: ChoiceBoxProps) {
  const { control, label, chosen, items, isSingle, text, isFound, status } = props;
  const choose = (next: Choice[]) => {
    props.onChange(isSingle ? next.slice(-1) : next);
    props.onText("");
    if (isSingle && next.length > chosen.length) props.onOpen(false);
  };
  return (
    <Combobox.Root
      multiple
      items={items}
      value={[...chosen]}
      onValueChange={choose}
      inputValue={text}
      onInputValueChange={props.onText}
      open={props.isOpen}
      onOpenChange={props.onOpen}
      itemToStringLabel={(choice: Choice) => choice.label}
      isItemEqualToValue={(one, other) => one.value === other.value}
      disabled={props.disabled}
      limit={mostListed}
      autoHighlight
      {...(isFound ? { filter: null } : {})}
    >
      <Combobox.InputGroup
        className={classNames(
          "field flex h-auto! min-h-7 w-full cursor-text items-center gap-1 py-0.5! pr-0.5! pl-1! focus-within:outline-2 focus-within:outline-offset-[-1px] focus-within:outline-focus",
          control["aria-invalid"] && "border-unhealthy-border!",
          props.disabled && "bg-sunken! text-muted!",
        )}
      >
        <Combobox.Chips
          aria-label={chosen.length > 0 ? `Chosen for ${label}` : undefined}
          className="flex min-w-0 flex-1 flex-wrap items-center gap-1"
        >
          {chosen.map((choice) => (
            <ChosenChip key={choice.value} choice={choice} />
          ))}
          <Combobox.Input
            {...control}
            // While the list is open Base UI hides what is around from assistive technology, its label too.
            aria-label={label}
            placeholder={chosen.length > 0 ? "" : props.placeholder}
            onKeyDown={(event) => {
              if (event.key !== "Escape" || props.isOpen) return;
              // Base UI would throw away all that was chosen, where the reader only wants to leave.
              event.preventBaseUIHandler();
              if (text === "") return;
              event.stopPropagation();
              props.onText("");
            }}
            className="h-5.5 min-w-16 flex-1 border-0 bg-transparent px-1 text-sm outline-none"
          />
        </Combobox.Chips>
        <Combobox.Trigger
          aria-label={`Open the list for ${label}`}
          className="flex size-6 shrink-0 items-center justify-center self-start rounded-control border-0 bg-transparent p-0 text-muted hover:bg-hover"
        >
          <ChevronDown aria-hidden="true" size={14} strokeWidth={1.75} />
        </Combobox.Trigger>
      </Combobox.InputGroup>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} collisionPadding={8} className="z-60 outline-none">
          <Combobox.Popup className="floating max-h-[min(var(--available-height),360px)] w-(--anchor-width) max-w-(--available-width) min-w-56 overflow-y-auto p-1">
            <Combobox.Status>
              {status !== undefined && status !== null && (
                <div className="flex items-center gap-2 px-2 py-1 text-xs text-muted">{status}</div>
              )}
            </Combobox.Status>
            <Combobox.Empty>
              {(status === undefined || status === null) && (
                <div className="px-2 py-1 text-xs text-muted">{props.emptyText}</div>
              )}
            </Combobox.Empty>
            <Combobox.List aria-label={label}>
              {(choice: Choice) => (
                <Combobox.Item
                  key={choice.value}
                  value={choice}
                  className="flex min-h-7 cursor-pointer items-center gap-2 rounded-control px-2 py-0.5 text-sm outline-none select-none data-highlighted:bg-hover"
                >
                  <span className="flex size-4 shrink-0 items-center justify-center">
                    <Combobox.ItemIndicator>
                      <Check size={14} strokeWidth={1.75} />
                    </Combobox.ItemIndicator>
                  </span>
                  {choice.icon}
                  <span className="min-w-0 flex-1 truncate">{choice.label}</span>
                  {choice.detail !== undefined && (
                    <span className="max-w-[45%] shrink-0 truncate text-xs text-muted">
                      {choice.detail}
                    </span>
                  )}
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
