import { Bell, BookOpen, Menu as MenuMark } from "lucide-react";
import type { ComponentType, Ref } from "react";
import { IconButton } from "@mainstay/ui/Button.tsx";
import type { IconMark } from "@mainstay/ui/Icon.tsx";
import { PaletteButton } from "#features/palette/index.ts";
import { AppLink } from "#lib/AppLink.tsx";
import { hosted } from "#lib/hosted.ts";
import { paths } from "#lib/paths.ts";
import { useAccess } from "#lib/use-access.ts";
import { features } from "../features.ts";
import { hasPage, navigationOf } from "./navigation.ts";
import { UserMenu } from "./UserMenu.tsx";

export interface TopBarProps {
  isLoading: boolean;
  isPhone: boolean;
  onOpenMenu: () => void;
  startRef: Ref<HTMLDivElement>;
  endRef: Ref<HTMLDivElement>;
}

interface BarLinkProps {
  to: string;
  label: string;
  mark: ComponentType<IconMark>;
}

function BarLink({ to, label, mark: Mark }: BarLinkProps) {
  return (
    <AppLink
      to={to}
      aria-label={label}
      data-tooltip={label}
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-text"
    >
      <Mark size={16} strokeWidth={1.75} />
    </AppLink>
  );
}

export function TopBar({ isLoading, isPhone, onOpenMenu, startRef, endRef }: TopBarProps) {
  const access = useAccess();
  const { OrganizationSwitcher } = hosted() ?? {};
  const offered = navigationOf(access);
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b bg-surface px-4 max-phone:px-2">
      {isPhone && (
        <IconButton
          label="Open navigation"
          icon={<MenuMark size={16} strokeWidth={1.75} />}
          onClick={onOpenMenu}
        />
      )}
      <div ref={startRef} className="flex min-w-0 flex-1 items-center gap-2" />
      {/* What the page has of the bar comes and goes and changes its width: what stands right of it stays in place. */}
      <div ref={endRef} className="flex shrink-0 items-center gap-1" />
      <PaletteButton features={features} offered={offered} disabled={isLoading} />
      {OrganizationSwitcher && <OrganizationSwitcher />}
      {hasPage(access, paths.notifications()) && (
        <BarLink to={paths.notifications()} label="Notifications" mark={Bell} />
      )}
      <BarLink to={paths.help()} label="Documentation" mark={BookOpen} />
      {isLoading ? <span className="skeleton size-7 rounded-full" /> : <UserMenu />}
    </header>
  );
}
