import { useQueryClient } from "@tanstack/react-query";
import { LogOut, Monitor, Moon, RotateCw, Rows2, Rows3, Sun } from "lucide-react";
import { chooseDensity } from "@mainstay/ui/density.ts";
import { useSignOut } from "#features/identity/index.ts";
import type { PaletteAction } from "#lib/page.ts";
import { chooseTheme } from "#lib/theme.ts";
import { useSession } from "#lib/use-access.ts";

/** What can be done on every page. */
export function useOwnActions(): PaletteAction[] {
  const client = useQueryClient();
  const { person } = useSession();
  const { signOut } = useSignOut();
  const look = "appearance colour mode";
  return [
    {
      label: "Refresh this page",
      icon: RotateCw,
      words: "reload update",
      run: () => client.invalidateQueries({ type: "active" }),
    },
    { label: "Theme: light", icon: Sun, words: look, run: () => chooseTheme("light") },
    { label: "Theme: dark", icon: Moon, words: look, run: () => chooseTheme("dark") },
    { label: "Theme: system", icon: Monitor, words: look, run: () => chooseTheme("system") },
    {
      label: "Density: comfortable",
      icon: Rows2,
      words: "rows space",
      run: () => chooseDensity("comfortable"),
    },
    {
      label: "Density: compact",
      icon: Rows3,
      words: "rows space",
      run: () => chooseDensity("compact"),
    },
    ...(person ? [{ label: "Sign out", icon: LogOut, words: "log out leave", run: signOut }] : []),
  ];
}
