import { Popover } from "@base-ui/react/popover";
import type { ReactNode, RefObject } from "react";
import { classNames } from "../class-names.ts";
import { isOnAnchor } from "../is-on-anchor.ts";

export interface PopoverPopupProps {
  id: string;
  label: string;
  anchor: RefObject<HTMLElement | null>;
  align: "start" | "center" | "end";
  onClose: () => void;
  className?: string | undefined;
  children: ReactNode;
}

export function PopoverPopup({
  id,
  label,
  anchor,
  align,
  onClose,
  className,
  children,
}: PopoverPopupProps) {
  return (
    <Popover.Root
      open
      onOpenChange={(open, details) => {
        if (!open && !isOnAnchor(details.event, anchor)) onClose();
      }}
    >
      <Popover.Portal>
        <Popover.Positioner
          anchor={anchor}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-60 max-h-(--available-height)"
        >
          <Popover.Popup
            id={id}
            aria-label={label}
            finalFocus={anchor}
            className={classNames(
              "floating max-h-(--available-height) max-w-[min(800px,calc(100vw-16px))]",
              className,
            )}
          >
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
