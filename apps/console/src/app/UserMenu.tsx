import { useQuery } from "@tanstack/react-query";
import { LogOut, Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { Avatar } from "@mainstay/ui/Avatar.tsx";
import { Menu, type MenuEntry } from "@mainstay/ui/Menu.tsx";
import { useSession, useSignOut } from "#features/identity/index.ts";
import { aboutQuery } from "#features/settings/index.ts";
import { chooseTheme, type ThemeChoice, useThemeChoice } from "#lib/theme.ts";

export function UserMenu() {
  const { person } = useSession();
  const [wasOpened, setWasOpened] = useState(false);
  const { data: about } = useQuery({ ...aboutQuery, enabled: wasOpened });
  const theme = useThemeChoice();
  const { prepare, signOut, isBusy } = useSignOut();
  const name = person?.name || person?.email || "";

  const entries: MenuEntry[] = [
    ...(person
      ? ([
          {
            kind: "text",
            content: (
              <span className="flex flex-col">
                <span className="text-sm font-medium text-text">Hi, {name}</span>
                {person.email !== name && <span>{person.email}</span>}
              </span>
            ),
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
            disabled: isBusy,
            onSelect: () => void signOut(),
          },
        ] satisfies MenuEntry[])
      : []),
  ];

  return (
    <Menu
      label="User menu"
      onOpen={() => {
        setWasOpened(true);
        if (person) prepare();
      }}
      entries={entries}
      renderTrigger={(trigger) => (
        <button
          type="button"
          aria-label="User menu"
          data-tooltip={name || "Settings"}
          className="flex size-7 items-center justify-center rounded-full"
          {...trigger}
        >
          {person ? (
            <Avatar name={name} src={person.avatar} size={26} />
          ) : (
            <Monitor size={16} strokeWidth={1.75} className="text-muted" />
          )}
        </button>
      )}
    />
  );
}
