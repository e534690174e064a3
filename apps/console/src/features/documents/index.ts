import { FileText } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { patterns } from "#lib/paths.ts";

/** Documents of every kind that the features declare. What somebody may see of them each kind says. */
export const documents: ConsoleFeature = {
  name: "documents",
  nav: [{ label: "Documents", to: patterns.documents, icon: FileText, section: "settings" }],
  pages: [
    {
      path: patterns.documents,
      title: "Documents",
      access: "session",
      load: () => import("./DocumentsPage.tsx").then((module) => module.DocumentsPage),
    },
    {
      path: patterns.applyDocuments,
      title: "Apply documents",
      access: "session",
      load: () => import("./ApplyPage.tsx").then((module) => module.ApplyPage),
    },
    {
      path: patterns.document,
      title: "Document",
      access: "session",
      load: () => import("./DocumentPage.tsx").then((module) => module.DocumentPage),
    },
  ],
};
