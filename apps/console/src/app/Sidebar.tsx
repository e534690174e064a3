import { useLocation } from "@tanstack/react-router";
import { PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { useEffect, useRef } from "react";
import { classNames } from "@mainstay/ui/class-names.ts";
import { useAccess } from "#features/identity/index.ts";
import { AppLink } from "#lib/AppLink.tsx";
import { paths } from "#lib/paths.ts";
import { features } from "../features.ts";
import type { SidebarState } from "./use-sidebar.ts";

const items = features.flatMap((feature) => feature.nav ?? []);

function Navigation({ isCollapsed, onFollow }: { isCollapsed: boolean; onFollow?: () => void }) {
  const access = useAccess();
  const here = useLocation({ select: (location) => location.pathname });
  const shown = items.filter(
    (item) =>
      (item.feature === undefined || access.isOn(item.feature)) &&
      (item.read === undefined || access.may("read", item.read)),
  );
  return (
    <nav aria-label="Main" className="flex-1 overflow-x-hidden overflow-y-auto p-2">
      <ul className="m-0 flex list-none flex-col gap-0.5 p-0">
        {shown.map(({ label, to, icon: Mark }) => {
          const isHere = here === to || here.startsWith(`${to}/`);
          return (
            <li key={to}>
              <AppLink
                to={to}
                aria-current={isHere ? "page" : undefined}
                aria-label={label}
                data-tooltip={isCollapsed ? label : undefined}
                onClick={onFollow}
                className={classNames(
                  "flex h-8 items-center gap-2.5 rounded-control px-2.5 text-sm",
                  isHere
                    ? "bg-selected font-medium text-text"
                    : "text-muted hover:bg-hover hover:text-text",
                )}
              >
                <Mark size={16} strokeWidth={1.75} />
                {!isCollapsed && label}
              </AppLink>
            </li>
          );
        })}
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
