import { BookOpen, Menu as MenuMark } from "lucide-react";
import type { Ref } from "react";
import { IconButton } from "@mainstay/ui/Button.tsx";
import { PaletteButton } from "#features/palette/index.ts";
import { AppLink } from "#lib/AppLink.tsx";
import { paths } from "#lib/paths.ts";
import { useAccess, useSession } from "#lib/use-access.ts";
import { features } from "../features.ts";
import { navigationOf } from "./navigation.ts";
import { UserMenu } from "./UserMenu.tsx";

export interface TopBarProps {
  isLoading: boolean;
  isPhone: boolean;
  onOpenMenu: () => void;
  startRef: Ref<HTMLDivElement>;
  endRef: Ref<HTMLDivElement>;
}

export function TopBar({ isLoading, isPhone, onOpenMenu, startRef, endRef }: TopBarProps) {
  const offered = navigationOf(useAccess(), useSession());
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
      <PaletteButton features={features} offered={offered} disabled={isLoading} />
      <div ref={endRef} className="flex shrink-0 items-center gap-1" />
      <AppLink
        to={paths.help()}
        aria-label="Documentation"
        data-tooltip="Documentation"
        className="inline-flex size-7 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-text"
      >
        <BookOpen size={16} strokeWidth={1.75} />
      </AppLink>
      {isLoading ? <span className="skeleton size-7 rounded-full" /> : <UserMenu />}
    </header>
  );
}
