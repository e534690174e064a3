import { useState } from "react";
import type { FieldText } from "../fields/Field.tsx";
import type { Choice } from "./choice.ts";
import { LazyChoiceBox } from "./LazyChoiceBox.tsx";

export interface MultiSelectProps extends FieldText {
  options: readonly Choice[];
  /** The values that are chosen, in the order in which they were. */
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
  placeholder?: string;
  disabled?: boolean;
  className?: string;
}

/** A choice of several from a list that is known. */
export function MultiSelect({
  options,
  value,
  onChange,
  placeholder,
  disabled = false,
  className,
  ...field
}: MultiSelectProps) {
  const [text, setText] = useState("");
  const [isOpen, setIsOpen] = useState(false);
  // What was chosen before and is no longer offered stays, and can be taken out.
  const chosen = value.map(
    (known) => options.find((option) => option.value === known) ?? { value: known, label: known },
  );
  return (
    <LazyChoiceBox
      text={field}
      className={className}
      box={{
        chosen,
        items: options,
        onChange: (next) => onChange(next.map((choice) => choice.value)),
        isSingle: false,
        text,
        onText: setText,
        isOpen,
        onOpen: setIsOpen,
        isFound: false,
        emptyText: "No result",
        placeholder,
        disabled,
      }}
    />
  );
}
