import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { Download, LogOut, Monitor, Moon, Rows2, Rows3, Sun, UserRound } from "lucide-react";
import { chooseDensity, type Density, useDensity } from "@mainstay/ui/density.ts";
import type { MenuEntry, OpenMenuProps } from "@mainstay/ui/Menu.tsx";
import { MenuPopup } from "@mainstay/ui/popups/MenuPopup.tsx";
import { aboutQuery } from "#lib/about.ts";
import { hosted } from "#lib/hosted.ts";
import { paths } from "#lib/paths.ts";
import { chooseTheme, type ThemeChoice, useThemeChoice } from "#lib/theme.ts";
import { useSession } from "#lib/use-access.ts";

export interface UserMenuPopupProps extends OpenMenuProps {
  onKubeconfig: () => void;
  onSignOut: () => void;
  isSigningOut: boolean;
}

/** What the user menu holds; fetched when it is first approached. */
export function UserMenuPopup({
  onKubeconfig,
  onSignOut,
  isSigningOut,
  ...menu
}: UserMenuPopupProps) {
  const { history } = useRouter();
  const density = useDensity();
  const { person } = useSession();
  const { data: about } = useQuery(aboutQuery);
  const theme = useThemeChoice();
  const name = person?.name || person?.email || "";

  const entries: MenuEntry[] = [
    ...(person
      ? ([
          {
            kind: "text",
            content: (
              <span className="flex max-w-72 flex-col">
                <span className="truncate text-sm font-medium text-text">Hi, {name}</span>
                {person.email !== name && <span className="truncate">{person.email}</span>}
              </span>
            ),
          },
          { kind: "separator" },
          // An account at the hosted provider is kept there.
          ...(hosted()
            ? []
            : [
                {
                  kind: "action" as const,
                  label: "Your Profile",
                  icon: <UserRound size={14} strokeWidth={1.75} />,
                  onSelect: () => history.push(paths.profile()),
                },
              ]),
          {
            kind: "action",
            label: "Download kubeconfig",
            icon: <Download size={14} strokeWidth={1.75} />,
            onSelect: onKubeconfig,
          },
          { kind: "separator" },
        ] satisfies MenuEntry[])
      : []),
    {
      kind: "choice",
      label: "Theme",
      value: theme,
      options: [
        { value: "light", label: "Light", icon: <Sun size={14} strokeWidth={1.75} /> },
        { value: "dark", label: "Dark", icon: <Moon size={14} strokeWidth={1.75} /> },
        { value: "system", label: "System", icon: <Monitor size={14} strokeWidth={1.75} /> },
      ],
      onSelect: (value) => chooseTheme(value as ThemeChoice),
    },
    {
      kind: "choice",
      label: "Density",
      value: density,
      options: [
        {
          value: "comfortable",
          label: "Comfortable",
          icon: <Rows2 size={14} strokeWidth={1.75} />,
        },
        { value: "compact", label: "Compact", icon: <Rows3 size={14} strokeWidth={1.75} /> },
      ],
      onSelect: (value) => chooseDensity(value as Density),
    },
    { kind: "separator" },
    {
      kind: "text",
      content: (
        <span className="grid grid-cols-[auto_auto] gap-x-4 tabular-nums">
          <span>Frontend version</span>
          <span className="text-right">{import.meta.env.CONSOLE_VERSION}</span>
          <span>Backend version</span>
          <span className="text-right">{about?.Version || "NA"}</span>
        </span>
      ),
    },
    ...(person
      ? ([
          { kind: "separator" },
          {
            kind: "action",
            label: "Sign out",
            icon: <LogOut size={14} strokeWidth={1.75} />,
            disabled: isSigningOut,
            onSelect: onSignOut,
          },
        ] satisfies MenuEntry[])
      : []),
  ];

  return <MenuPopup {...menu} entries={entries} />;
}
