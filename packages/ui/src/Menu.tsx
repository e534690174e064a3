import type { ReactNode, RefObject } from "react";
import { Suspense, useId, useRef, useState } from "react";
import { lazyPart } from "./lazy-part.tsx";
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
  options: readonly {
    id: string;
    label: string;
    checked: boolean;
    disabled?: boolean;
    /** Why it is as it is. */
    note?: string | undefined;
  }[];
  onToggle: (id: string, checked: boolean) => void;
}

export interface MenuText {
  kind: "text";
  content: ReactNode;
}

export type MenuEntry = MenuAction | MenuChoice | MenuChecks | MenuText | { kind: "separator" };

/** What an open menu is told by its trigger. */
export interface OpenMenuProps {
  id: string;
  label: string;
  anchor: RefObject<HTMLButtonElement | null>;
  align: "start" | "end";
  /** Goes to the first entry: whoever opened it with the keyboard goes on with it. */
  startsAtFirst: boolean;
  onClose: () => void;
}

export type MenuProps = {
  label: string;
  renderTrigger: (props: TriggerProps) => ReactNode;
  align?: "start" | "end";
  onOpen?: () => void;
} & (
  | { entries: readonly MenuEntry[] }
  /** For entries that are many or large: a component of one's own around `MenuPopup`, and how it is fetched. */
  | { renderPopup: (props: OpenMenuProps) => ReactNode; loadPopup: () => Promise<unknown> }
);

const loadPopup = () => import("./popups/MenuPopup.tsx");
const Popup = lazyPart(() => loadPopup().then((module) => module.MenuPopup));

export function Menu(props: MenuProps) {
  const { label, renderTrigger, align = "end", onOpen } = props;
  const [isOpen, setIsOpen] = useState(false);
  const [startsAtFirst, setStartsAtFirst] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  const id = useId();
  // Whoever opens it is told when it cannot be had.
  const prefetch = () => void ("entries" in props ? loadPopup : props.loadPopup)().catch(() => {});
  const opened = { id, label, anchor, align, startsAtFirst, onClose: () => setIsOpen(false) };

  return (
    <>
      {renderTrigger({
        ref: anchor,
        "aria-haspopup": "menu",
        "aria-expanded": isOpen,
        "aria-controls": isOpen ? id : undefined,
        onClick: (event) => {
          if (!isOpen) onOpen?.();
          setStartsAtFirst(event.detail === 0);
          setIsOpen(!isOpen);
        },
        onPointerEnter: prefetch,
        onFocus: prefetch,
      })}
      {isOpen && (
        <Suspense>
          {"entries" in props ? (
            <Popup {...opened} entries={props.entries} />
          ) : (
            // oxlint-disable-next-line react/refs -- the ref is handed on, not read
            props.renderPopup(opened)
          )}
        </Suspense>
      )}
    </>
  );
}
