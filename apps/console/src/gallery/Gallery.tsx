import type { ComponentType } from "react";
import { lazy, Suspense, useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { chooseDensity, useDensity, watchDensity } from "@mainstay/ui/density.ts";
import { NoInlineStyles } from "@mainstay/ui/NoInlineStyles.tsx";
import { PageSkeleton } from "@mainstay/ui/Skeletons.tsx";
import { Tabs } from "@mainstay/ui/Tabs.tsx";
import { ToastRegion } from "@mainstay/ui/popups/ToastRegion.tsx";
import { TooltipLayer } from "@mainstay/ui/popups/TooltipLayer.tsx";
import { useMediaQuery } from "@mainstay/ui/use-media-query.ts";
import { offerIconMarks } from "#lib/icon-marks.ts";
import { chooseTheme, useThemeChoice } from "#lib/theme.ts";

/** Each part is loaded when it is chosen, so that what one component brings along can be seen. */
const parts: readonly { id: string; label: string; part: ComponentType }[] = [
  {
    id: "basics",
    label: "Basics",
    part: lazy(() => import("./Basics.tsx").then((module) => ({ default: module.Basics }))),
  },
  {
    id: "feedback",
    label: "Feedback",
    part: lazy(() => import("./Feedback.tsx").then((module) => ({ default: module.Feedback }))),
  },
  {
    id: "overlays",
    label: "Dialogs and menus",
    part: lazy(() => import("./Overlays.tsx").then((module) => ({ default: module.Overlays }))),
  },
  {
    id: "filters",
    label: "Filters and time",
    part: lazy(() => import("./Filters.tsx").then((module) => ({ default: module.Filters }))),
  },
  {
    id: "fields",
    label: "Form fields",
    part: lazy(() => import("./Fields.tsx").then((module) => ({ default: module.Fields }))),
  },
  {
    id: "tables",
    label: "Tables",
    part: lazy(() => import("./Tables.tsx").then((module) => ({ default: module.Tables }))),
  },
  {
    id: "code",
    label: "Code",
    part: lazy(() => import("./Code.tsx").then((module) => ({ default: module.Code }))),
  },
  {
    id: "logs",
    label: "Logs",
    part: lazy(() => import("./Logs.tsx").then((module) => ({ default: module.Logs }))),
  },
  {
    id: "charts",
    label: "Charts",
    part: lazy(() => import("./Charts.tsx").then((module) => ({ default: module.Charts }))),
  },
  {
    id: "graphs",
    label: "Graphs",
    part: lazy(() => import("./Graphs.tsx").then((module) => ({ default: module.Graphs }))),
  },
];

offerIconMarks();
watchDensity();

function chosenPart(): string {
  const asked = new URLSearchParams(window.location.search).get("part");
  return parts.find(({ id }) => id === asked)?.id ?? "basics";
}

/** Every component of the ui package in every state. Development builds only. */
export function Gallery() {
  const [part, setPart] = useState(chosenPart);
  const systemIsDark = useMediaQuery("(prefers-color-scheme: dark)");
  const choice = useThemeChoice();
  const theme = choice === "system" ? (systemIsDark ? "dark" : "light") : choice;
  const density = useDensity();
  const Part = parts.find(({ id }) => id === part)?.part;
  const choose = (id: string) => {
    setPart(id);
    window.history.replaceState(null, "", `?part=${id}`);
  };
  return (
    <NoInlineStyles>
      <div className="flex h-full flex-col">
        <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-b px-4 py-1">
          <h1 className="m-0 flex-1 text-lg font-semibold">Gallery</h1>
          <Button
            aria-pressed={theme === "dark"}
            onClick={() => chooseTheme(theme === "dark" ? "light" : "dark")}
          >
            {theme === "dark" ? "Light theme" : "Dark theme"}
          </Button>
          <Button
            aria-pressed={density === "compact"}
            onClick={() => chooseDensity(density === "compact" ? "comfortable" : "compact")}
          >
            {density === "compact" ? "Comfortable rows" : "Compact rows"}
          </Button>
        </header>
        <Tabs label="Parts" tabs={parts} selected={part} onSelect={choose} panelId="gallery-part" />
        <main
          id="gallery-part"
          aria-label={parts.find(({ id }) => id === part)?.label}
          className="min-h-0 flex-1 overflow-auto p-4"
        >
          <Suspense fallback={<PageSkeleton />}>{Part && <Part />}</Suspense>
        </main>
      </div>
      <ToastRegion />
      <TooltipLayer />
    </NoInlineStyles>
  );
}
