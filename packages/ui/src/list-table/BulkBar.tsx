import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../Button.tsx";

export interface BulkBarProps {
  count: number;
  onClear: () => void;
  /** What can be done with all of them. */
  children: ReactNode;
}

const number = new Intl.NumberFormat();

/** What can be done with the rows that are chosen. Nothing while none is. */
export function BulkBar({ count, onClear, children }: BulkBarProps) {
  return (
    // Always there, so that the first choice is read out.
    <div role="status" aria-label="Selection">
      {count > 0 && (
        <div className="flex min-h-11 flex-wrap items-center gap-2 border-t bg-selected px-4 py-1.5">
          <span className="text-sm font-medium tabular-nums">{number.format(count)} selected</span>
          {children}
          <Button
            kind="quiet"
            icon={<X size={14} strokeWidth={1.75} />}
            className="ml-auto"
            onClick={onClear}
          >
            Clear selection
          </Button>
        </div>
      )}
    </div>
  );
}
