import { useEffect, useRef } from "react";

export interface SelectionBoxProps {
  label: string;
  state: "all" | "some" | "none";
  onToggle: (withShift: boolean) => void;
}

/** A box to tick; the label around it makes the whole cell its target. */
export function SelectionBox({ label, state, onToggle }: SelectionBoxProps) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Only a script can set it; it is no attribute.
    if (box.current) box.current.indeterminate = state === "some";
  }, [state]);
  return (
    <label className="flex min-h-6.5 items-center justify-center pl-2">
      <input
        ref={box}
        type="checkbox"
        aria-label={label}
        checked={state === "all"}
        onChange={(event) => {
          const { nativeEvent } = event;
          onToggle("shiftKey" in nativeEvent && nativeEvent.shiftKey === true);
        }}
        className="size-4 accent-(--accent)"
      />
    </label>
  );
}
