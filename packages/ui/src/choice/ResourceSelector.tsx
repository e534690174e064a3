import { useState } from "react";
import type { FieldText } from "../fields/Field.tsx";
import type { Choice } from "./choice.ts";
import { LazyChoiceBox } from "./LazyChoiceBox.tsx";
import { type ChoiceSearch, useChoiceSearch } from "./use-choice-search.ts";

export interface ResourceSelectorProps extends FieldText {
  search: ChoiceSearch;
  chosen: readonly Choice[];
  onChange: (chosen: readonly Choice[]) => void;
  /** Several may be chosen. */
  multiple?: boolean;
  placeholder?: string;
  disabled?: boolean;
  className?: string;
}

const none: readonly Choice[] = [];

/** A choice of one or several from a list too long to be handed over: it is searched while it is typed into. */
export function ResourceSelector({
  search,
  chosen,
  onChange,
  multiple = false,
  placeholder,
  disabled = false,
  className,
  ...field
}: ResourceSelectorProps) {
  const [text, setText] = useState("");
  const [isOpen, setIsOpen] = useState(false);
  const { state, retry } = useChoiceSearch(search, text, isOpen);
  const items = state.kind === "found" ? state.found.choices : none;

  const status =
    state.kind === "searching" ? (
      "Searching …"
    ) : state.kind === "failed" ? (
      <>
        <span className="min-w-0 flex-1 break-words text-unhealthy-fg">{state.message}</span>
        <button
          type="button"
          onClick={retry}
          className="shrink-0 rounded-control px-1.5 py-0.5 font-medium text-accent hover:bg-hover"
        >
          Try again
        </button>
      </>
    ) : state.found.isPartial ? (
      "There are more: type to find them"
    ) : undefined;

  return (
    <LazyChoiceBox
      text={field}
      className={className}
      box={{
        chosen,
        items,
        onChange,
        isSingle: !multiple,
        text,
        onText: setText,
        isOpen,
        onOpen: setIsOpen,
        isFound: true,
        status,
        emptyText: "No result",
        placeholder,
        disabled,
      }}
    />
  );
}
