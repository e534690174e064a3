import type { ConsoleFeature } from "#lib/page.ts";
import { patterns } from "#lib/paths.ts";

export const help: ConsoleFeature = {
  name: "help",
  palette: () => import("./palette.ts").then((module) => module.palette),
  pages: [
    {
      path: patterns.help,
      title: "Documentation",
      access: "session",
      load: () => import("./HelpPage.tsx").then((module) => module.HelpPage),
    },
  ],
};

export const loadShortcutDialog = () =>
  import("./ShortcutDialog.tsx").then((module) => module.ShortcutDialog);
