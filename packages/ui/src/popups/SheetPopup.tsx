import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { IconButton } from "../Button.tsx";

export interface SheetProps {
  /** Its title. */
  label: string;
  onClose: () => void;
  children: ReactNode;
}

/** Lies over the lower part of a phone's page; what is opened from it lies over it. */
export function SheetPopup({ label, onClose, children }: SheetProps) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-50 bg-scrim" />
        <Base.Popup
          ref={popup}
          initialFocus={popup}
          className="fixed inset-x-0 bottom-0 z-50 flex max-h-[85dvh] flex-col rounded-t-card border-t bg-surface text-text outline-none"
        >
          <header className="flex min-h-11 shrink-0 items-center gap-2 border-b px-4">
            <Base.Title className="m-0 min-w-0 flex-1 truncate text-md font-semibold">
              {label}
            </Base.Title>
            <Base.Close
              render={<IconButton label="Close" icon={<X size={16} strokeWidth={1.75} />} />}
            />
          </header>
          <div className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
