import { Menu } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import { isOnAnchor } from "../is-on-anchor.ts";
import type { MenuEntry, OpenMenuProps } from "../Menu.tsx";

const itemLook =
  "flex min-h-7 cursor-pointer items-center gap-2 rounded-control px-2 text-sm outline-none data-disabled:cursor-not-allowed data-disabled:opacity-55 data-highlighted:bg-hover";

export type MenuPopupProps = OpenMenuProps & { entries: readonly MenuEntry[] };

function Entry({ entry }: { entry: MenuEntry }) {
  switch (entry.kind) {
    case "separator":
      return <Menu.Separator className="my-1 border-t" />;
    case "text":
      return <div className="px-2 py-1 text-xs text-muted">{entry.content}</div>;
    case "action":
      return (
        <Menu.Item className={itemLook} disabled={entry.disabled} onClick={entry.onSelect}>
          <span className="flex w-4 shrink-0 justify-center text-muted">{entry.icon}</span>
          {entry.label}
        </Menu.Item>
      );
    case "choice":
      return (
        <Menu.RadioGroup
          value={entry.value}
          onValueChange={(value) => entry.onSelect(String(value))}
        >
          <Menu.GroupLabel className="px-2 pt-1 pb-0.5 text-2xs font-medium text-muted">
            {entry.label}
          </Menu.GroupLabel>
          {entry.options.map((option) => (
            <Menu.RadioItem
              key={option.value}
              value={option.value}
              className={itemLook}
              closeOnClick={false}
            >
              <span className="flex w-4 shrink-0 justify-center text-muted">{option.icon}</span>
              <span className="flex-1">{option.label}</span>
              <Menu.RadioItemIndicator>
                <Check size={14} strokeWidth={1.75} />
              </Menu.RadioItemIndicator>
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      );
    case "checks":
      return (
        <Menu.Group>
          <Menu.GroupLabel className="px-2 pt-1 pb-0.5 text-2xs font-medium text-muted">
            {entry.label}
          </Menu.GroupLabel>
          {entry.options.map((option) => (
            <Menu.CheckboxItem
              key={option.id}
              checked={option.checked}
              disabled={option.disabled}
              className={itemLook}
              closeOnClick={false}
              onCheckedChange={(checked) => entry.onToggle(option.id, checked)}
            >
              <span className="flex size-4 shrink-0 items-center justify-center">
                <Menu.CheckboxItemIndicator>
                  <Check size={14} strokeWidth={1.75} />
                </Menu.CheckboxItemIndicator>
              </span>
              {option.label}
              {option.note !== undefined && (
                <span className="ml-auto pl-4 text-2xs text-muted">{option.note}</span>
              )}
            </Menu.CheckboxItem>
          ))}
        </Menu.Group>
      );
  }
}

function goToFirst(popup: HTMLElement | null): () => void {
  // Base UI gives the keyboard to the popup a frame after it is there.
  let frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(() =>
      popup
        ?.querySelector<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])")
        ?.focus({ preventScroll: true }),
    );
  });
  return () => cancelAnimationFrame(frame);
}

export function MenuPopup(props: MenuPopupProps) {
  const { id, label, anchor, align, entries, startsAtFirst, onClose } = props;
  return (
    <Menu.Root
      open
      onOpenChange={(open, details) => {
        if (!open && !isOnAnchor(details.event, anchor)) onClose();
      }}
    >
      <Menu.Portal>
        <Menu.Positioner
          anchor={anchor}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-60"
        >
          <Menu.Popup
            ref={startsAtFirst ? goToFirst : null}
            id={id}
            aria-label={label}
            finalFocus={anchor}
            className="floating max-h-(--available-height) min-w-48 max-w-[min(800px,calc(100vw-16px))] overflow-y-auto p-1"
          >
            {entries.map((entry, index) => (
              // Entries of one open menu never change places.
              <Entry key={index} entry={entry} />
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
