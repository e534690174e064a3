import type { ReactNode, RefObject } from "react";
import { Suspense, useId, useRef, useState } from "react";
import { lazyPart } from "./lazy-part.tsx";

/** What the trigger of something that floats must carry. */
export interface TriggerProps {
  ref: RefObject<HTMLButtonElement | null>;
  "aria-haspopup": "dialog" | "menu";
  "aria-expanded": boolean;
  "aria-controls": string | undefined;
  /** A press; without a place of the pointer (`detail` 0) it came from the keyboard. */
  onClick: (event: { detail: number }) => void;
  onPointerEnter: () => void;
  onFocus: () => void;
}

export interface PopoverProps {
  /** Names the popup for assistive technology. */
  label: string;
  renderTrigger: (props: TriggerProps) => ReactNode;
  children: (close: () => void) => ReactNode;
  /** What the content needs that is not here yet: fetched when the trigger is first approached. */
  load?: () => Promise<unknown>;
  align?: "start" | "center" | "end";
  className?: string;
}

// The machinery that positions popups is large: it is fetched when a trigger is first approached.
const loadPopup = () => import("./popups/PopoverPopup.tsx");
const Popup = lazyPart(() => loadPopup().then((module) => module.PopoverPopup));

export function Popover({
  label,
  renderTrigger,
  children,
  load,
  align = "start",
  className,
}: PopoverProps) {
  const [isOpen, setIsOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = () => setIsOpen(false);
  // Whoever opens it is told when it cannot be had.
  const prefetch = () => void Promise.all([loadPopup(), load?.()]).catch(() => {});

  return (
    <>
      {renderTrigger({
        ref: anchor,
        "aria-haspopup": "dialog",
        "aria-expanded": isOpen,
        "aria-controls": isOpen ? id : undefined,
        onClick: () => setIsOpen((open) => !open),
        onPointerEnter: prefetch,
        onFocus: prefetch,
      })}
      {isOpen && (
        <Suspense>
          <Popup
            id={id}
            label={label}
            anchor={anchor}
            align={align}
            onClose={close}
            className={className}
          >
            {children(close)}
          </Popup>
        </Suspense>
      )}
    </>
  );
}
