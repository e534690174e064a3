import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { Download, LogOut, Monitor, Moon, Rows2, Rows3, Sun, UserRound } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Avatar } from "@mainstay/ui/Avatar.tsx";
import { Menu, type MenuEntry } from "@mainstay/ui/Menu.tsx";
import { useSignOut } from "#features/identity/index.ts";
import { aboutQuery } from "#lib/about.ts";
import { useSession } from "#lib/use-access.ts";
import { chooseDensity, type Density, useDensity } from "@mainstay/ui/density.ts";
import { paths } from "#lib/paths.ts";
import { chooseTheme, type ThemeChoice, useThemeChoice } from "#lib/theme.ts";

const KubeconfigDialog = lazy(() =>
  import("./KubeconfigDialog.tsx").then((module) => ({ default: module.KubeconfigDialog })),
);

export function UserMenu() {
  const { history } = useRouter();
  const [isKubeconfigOpen, setIsKubeconfigOpen] = useState(false);
  const density = useDensity();
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
          {
            kind: "action",
            label: "Your Profile",
            icon: <UserRound size={14} strokeWidth={1.75} />,
            onSelect: () => history.push(paths.profile()),
          },
          {
            kind: "action",
            label: "Download kubeconfig",
            icon: <Download size={14} strokeWidth={1.75} />,
            onSelect: () => setIsKubeconfigOpen(true),
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
            disabled: isBusy,
            onSelect: () => void signOut(),
          },
        ] satisfies MenuEntry[])
      : []),
  ];

  return (
    <>
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
      <Suspense>
        {isKubeconfigOpen && <KubeconfigDialog onClose={() => setIsKubeconfigOpen(false)} />}
      </Suspense>
    </>
  );
}
