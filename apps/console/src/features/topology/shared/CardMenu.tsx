import { useRouter } from "@tanstack/react-router";
import { EllipsisVertical, ZoomIn } from "lucide-react";
import { useState } from "react";
import { IconButton } from "@mainstay/ui/Button.tsx";
import { Menu, type MenuEntry } from "@mainstay/ui/Menu.tsx";
import { toastFailed } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { LazyGuest } from "#lib/places/LazyGuest.tsx";
import { useGuests } from "#lib/places/use-guests.ts";
import type { GivenComponent } from "../places.ts";
import { useComponentPath } from "./component-links.ts";
import { FailedGuest } from "./FailedGuest.tsx";

export interface CardMenuProps {
  component: GivenComponent;
  /** On a card one can go into it; on its own page one is there. */
  isCard?: boolean;
  tabIndex?: number;
}

/** What can be done with a component: what guests offer, and going into it. */
export function CardMenu({ component, isCard = true, tabIndex = 0 }: CardMenuProps) {
  const { history } = useRouter();
  const pathOf = useComponentPath();
  const [open, setOpen] = useState<string>();
  const given = { component };
  const guests = useGuests("component", "actions").filter(({ isFor }) => isFor?.(given) ?? true);
  const entries: readonly MenuEntry[] = [
    ...(isCard
      ? [
          {
            kind: "action" as const,
            label: "Zoom In",
            icon: <ZoomIn size={14} strokeWidth={1.75} />,
            onSelect: () => history.push(pathOf(component.id)),
          },
        ]
      : []),
    ...guests.map((guest) => ({
      kind: "action" as const,
      label: guest.label,
      icon: <guest.icon size={14} strokeWidth={1.75} />,
      onSelect: () => ("to" in guest ? history.push(guest.to(given)) : setOpen(guest.id)),
    })),
  ];
  if (entries.length === 0) return null;
  const close = () => setOpen(undefined);
  const opened = guests.find(({ id }) => id === open);
  return (
    <>
      <Menu
        label={`Actions for ${component.name}`}
        entries={entries}
        renderTrigger={(trigger) => (
          <IconButton
            label={`Actions for ${component.name}`}
            icon={<EllipsisVertical size={16} strokeWidth={1.75} />}
            className="relative z-10 -my-1 -mr-1.5"
            tabIndex={tabIndex}
            {...trigger}
          />
        )}
      />
      {opened && "loadDialog" in opened && (
        <LazyGuest
          load={opened.loadDialog}
          props={{ ...given, onClose: close }}
          renderFailure={(error, retry) => (
            <FailedGuest
              onShown={() => {
                toastFailed(`${opened.label} could not be opened: ${messageOf(error)}`);
                retry();
                close();
              }}
            />
          )}
        />
      )}
    </>
  );
}
