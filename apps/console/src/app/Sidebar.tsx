import { useLocation, useRouter } from "@tanstack/react-router";
import { ChevronRight, PanelLeftClose, PanelLeftOpen, Settings } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { readStored, writeStored } from "@mainstay/ui/browser-storage.ts";
import { classNames } from "@mainstay/ui/class-names.ts";
import { Menu } from "@mainstay/ui/Menu.tsx";
import { AppLink } from "#lib/AppLink.tsx";
import type { NavItem } from "#lib/page.ts";
import { paths } from "#lib/paths.ts";
import { useAccess } from "#lib/use-access.ts";
import { isBelow, navigationOf } from "./navigation.ts";
import type { SidebarState } from "./use-sidebar.ts";

const settingsKey = "mainstay.sidebar.settings";

const look = (isHere: boolean) =>
  classNames(
    "flex h-8 w-full items-center gap-2.5 rounded-control px-2.5 text-left text-sm",
    isHere ? "bg-selected font-medium text-text" : "text-muted hover:bg-hover hover:text-text",
  );

interface ItemProps {
  item: NavItem;
  here: string;
  isCollapsed: boolean;
  isNested?: boolean;
  onFollow?: (() => void) | undefined;
}

function Item({ item, here, isCollapsed, isNested, onFollow }: ItemProps) {
  const { label, to, icon: Mark } = item;
  const isHere = isBelow(here, to);
  return (
    <li>
      <AppLink
        to={to}
        aria-current={isHere ? "page" : undefined}
        aria-label={label}
        data-tooltip={isCollapsed ? label : undefined}
        onClick={onFollow}
        className={classNames(look(isHere), isNested && "pl-4.5")}
      >
        <Mark size={16} strokeWidth={1.75} />
        {!isCollapsed && <span className="truncate">{label}</span>}
      </AppLink>
    </li>
  );
}

/** Opens in place; on a collapsed sidebar, as a menu. */
function SettingsItems({
  items,
  here,
  isCollapsed,
  onFollow,
}: Omit<ItemProps, "item"> & { items: readonly NavItem[] }) {
  const { history } = useRouter();
  const isInside = items.some((item) => isBelow(here, item.to));
  const [isOpen, setIsOpen] = useState(() => isInside || readStored(settingsKey) === "open");
  if (isCollapsed) {
    return (
      <li>
        <Menu
          label="Settings"
          align="start"
          entries={items.map(({ label, to, icon: Mark }) => ({
            kind: "action",
            label,
            icon: <Mark size={14} strokeWidth={1.75} />,
            onSelect: () => history.push(to),
          }))}
          renderTrigger={(trigger) => (
            <button
              type="button"
              aria-label="Settings"
              data-tooltip="Settings"
              className={look(isInside)}
              {...trigger}
            >
              <Settings size={16} strokeWidth={1.75} />
            </button>
          )}
        />
      </li>
    );
  }
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        className={look(isInside && !isOpen)}
        onClick={() => {
          writeStored(settingsKey, isOpen ? null : "open");
          setIsOpen(!isOpen);
        }}
      >
        <Settings size={16} strokeWidth={1.75} />
        <span className="flex-1">Settings</span>
        <ChevronRight size={14} strokeWidth={1.75} className={isOpen ? "rotate-90" : ""} />
      </button>
      {isOpen && (
        <ul aria-label="Settings" className="m-0 mt-0.5 flex list-none flex-col gap-0.5 p-0">
          {items.map((item) => (
            <Item
              key={item.to}
              item={item}
              here={here}
              isCollapsed={false}
              isNested
              onFollow={onFollow}
            />
          ))}
        </ul>
      )}
    </li>
  );
}

function Navigation({ isCollapsed, onFollow }: { isCollapsed: boolean; onFollow?: () => void }) {
  const here = useLocation({ select: (location) => location.pathname });
  const { main, settings } = navigationOf(useAccess());
  return (
    <nav aria-label="Main" className="flex-1 overflow-x-hidden overflow-y-auto p-2">
      <ul className="m-0 flex list-none flex-col gap-0.5 p-0">
        {main.map((item) => (
          <Item
            key={item.to}
            item={item}
            here={here}
            isCollapsed={isCollapsed}
            onFollow={onFollow}
          />
        ))}
        {settings.length > 0 && (
          <SettingsItems
            items={settings}
            here={here}
            isCollapsed={isCollapsed}
            onFollow={onFollow}
          />
        )}
      </ul>
    </nav>
  );
}

function Brand({ isCollapsed }: { isCollapsed: boolean }) {
  return (
    <AppLink
      to={paths.home()}
      aria-label="Mainstay, start page"
      className="flex h-12 shrink-0 items-center gap-2.5 border-b px-3.5 text-md font-semibold"
    >
      <img src="/mark.svg" alt="" width={24} height={24} className="shrink-0" />
      {!isCollapsed && "Mainstay"}
    </AppLink>
  );
}

export interface SidebarProps {
  sidebar: SidebarState;
  isLoading: boolean;
}

function Drawer({ sidebar, isLoading }: SidebarProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { isDrawerOpen } = sidebar;
  useEffect(() => {
    const element = dialog.current;
    if (isDrawerOpen && !element?.open) element?.showModal();
    if (!isDrawerOpen && element?.open) element.close();
  }, [isDrawerOpen]);
  return (
    // Presses on the backdrop reach the dialog element itself; the keyboard closes it with Escape.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      aria-label="Navigation"
      onClose={sidebar.closeDrawer}
      onClick={(event) => {
        if (event.target === dialog.current) sidebar.closeDrawer();
      }}
      className="m-0 h-dvh max-h-none w-[260px] border-0 border-r bg-surface p-0 text-text backdrop:bg-scrim open:flex open:flex-col"
    >
      <Brand isCollapsed={false} />
      {!isLoading && <Navigation isCollapsed={false} onFollow={sidebar.closeDrawer} />}
    </dialog>
  );
}

export function Sidebar({ sidebar, isLoading }: SidebarProps) {
  const { isCollapsed, isPhone, toggle } = sidebar;
  if (isPhone) return <Drawer sidebar={sidebar} isLoading={isLoading} />;
  const label = isCollapsed ? "Expand sidebar" : "Collapse sidebar";
  const Mark = isCollapsed ? PanelLeftOpen : PanelLeftClose;
  return (
    <aside
      aria-label="Sidebar"
      className={classNames(
        "flex shrink-0 flex-col border-r bg-sunken",
        isCollapsed ? "w-[52px]" : "w-[216px]",
      )}
    >
      <Brand isCollapsed={isCollapsed} />
      {isLoading ? <div className="flex-1" /> : <Navigation isCollapsed={isCollapsed} />}
      <div className="border-t p-2">
        <button
          type="button"
          aria-expanded={!isCollapsed}
          aria-label={label}
          aria-keyshortcuts="["
          data-tooltip={`${label}  [`}
          onClick={toggle}
          className="flex h-8 w-full items-center gap-2.5 rounded-control px-2.5 text-sm text-muted hover:bg-hover hover:text-text"
        >
          <Mark size={16} strokeWidth={1.75} />
          {!isCollapsed && "Collapse"}
        </button>
      </div>
    </aside>
  );
}
