import { Download } from "lucide-react";
import type { MenuAction } from "../Menu.tsx";

export type ExportFormat = "csv" | "json";

/** The entries of a menu that export what is shown. */
export const exportEntries = (onExport: (format: ExportFormat) => void): MenuAction[] =>
  (["csv", "json"] as const).map((format) => ({
    kind: "action",
    label: `Export as ${format.toUpperCase()}`,
    icon: <Download size={14} strokeWidth={1.75} />,
    onSelect: () => onExport(format),
  }));
