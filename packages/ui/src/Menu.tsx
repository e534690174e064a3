import type { ReactNode } from "react";
import { lazy, Suspense, useId, useRef, useState } from "react";
import type { TriggerProps } from "./Popover.tsx";

export interface MenuAction {
  kind: "action";
  label: string;
  icon?: ReactNode;
  onSelect: () => void;
  disabled?: boolean;
}

export interface MenuChoice {
  kind: "choice";
  label: string;
  value: string;
  options: readonly { value: string; label: string; icon?: ReactNode }[];
  onSelect: (value: string) => void;
}

/** Several on/off entries that leave the menu open. */
export interface MenuChecks {
  kind: "checks";
  label: string;
  options: readonly { id: string; label: string; checked: boolean }[];
  onToggle: (id: string, checked: boolean) => void;
}

export interface MenuText {
  kind: "text";
  content: ReactNode;
}

export type MenuEntry = MenuAction | MenuChoice | MenuChecks | MenuText | { kind: "separator" };

export interface MenuProps {
  label: string;
  renderTrigger: (props: TriggerProps) => ReactNode;
  entries: readonly MenuEntry[];
  align?: "start" | "end";
  onOpen?: () => void;
}

const loadPopup = () => import("./MenuPopup.tsx");
const Popup = lazy(() => loadPopup().then((module) => ({ default: module.MenuPopup })));

export function Menu({ label, renderTrigger, entries, align = "end", onOpen }: MenuProps) {
  const [isOpen, setIsOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  const id = useId();
  const prefetch = () => void loadPopup();

  return (
    <>
      {renderTrigger({
        ref: anchor,
        "aria-haspopup": "menu",
        "aria-expanded": isOpen,
        "aria-controls": isOpen ? id : undefined,
        onClick: () => {
          if (!isOpen) onOpen?.();
          setIsOpen(!isOpen);
        },
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
            entries={entries}
            onClose={() => setIsOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
