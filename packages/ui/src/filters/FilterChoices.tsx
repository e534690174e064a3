import { SlidersHorizontal } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../Button.tsx";
import { Popover } from "../Popover.tsx";

export interface FilterChoicesProps {
  /** How many of them leave something out. */
  chosen: number;
  children: ReactNode;
}

/**
 * What a list is filtered by: side by side, and behind a button where what holds them (`@container`) is as narrow as on
 * a phone or beside an inspector.
 */
export function FilterChoices({ chosen, children }: FilterChoicesProps) {
  return (
    <>
      <span className="contents @max-xl:hidden">{children}</span>
      <span className="@xl:hidden">
        <Popover
          label="Filters"
          renderTrigger={(trigger) => (
            <Button icon={<SlidersHorizontal size={14} strokeWidth={1.75} />} {...trigger}>
              Filters{chosen > 0 ? ` (${chosen})` : ""}
            </Button>
          )}
        >
          {() => (
            <div className="flex max-h-(--available-height) w-80 flex-col items-start gap-3 overflow-auto p-3">
              {children}
            </div>
          )}
        </Popover>
      </span>
    </>
  );
}
