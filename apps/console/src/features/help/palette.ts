import { Keyboard } from "lucide-react";
import type { PalettePart } from "#lib/page.ts";

export const palette: PalettePart = {
  actions: [
    {
      label: "Show keys",
      icon: Keyboard,
      words: "keyboard shortcuts help",
      loadDialog: () => import("./ShortcutDialog.tsx").then((module) => module.ShortcutDialog),
    },
  ],
};
