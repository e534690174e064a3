import { CircleAlert, Dot, Info, OctagonX, TriangleAlert } from "lucide-react";
import { type LineLevel, lineLevels } from "@mainstay/contract/logs/line-level.ts";
import { classNames } from "@mainstay/ui/class-names.ts";
import type { CountKind } from "@mainstay/ui/count-chart/counts.ts";

/** How levels look: a mark, a word and a colour each. */
const looks = {
  trace: { mark: Dot, className: "text-muted" },
  debug: { mark: Dot, className: "text-muted" },
  info: { mark: Info, className: "text-info-fg" },
  warn: { mark: TriangleAlert, className: "text-warning-fg" },
  error: { mark: CircleAlert, className: "text-unhealthy-fg" },
  fatal: { mark: OctagonX, className: "text-unhealthy-fg font-semibold" },
} as const;

export function LevelMark({ level }: { level: LineLevel | undefined }) {
  if (!level) return <span className="text-muted">–</span>;
  const { mark: Mark, className } = looks[level];
  return (
    <span className={classNames("inline-flex items-center gap-1 text-xs", className)}>
      <Mark aria-hidden="true" size={14} strokeWidth={1.75} className="shrink-0" />
      {level}
    </span>
  );
}

/** From the foot of a bar up: what matters most stands lowest, where it is compared best. */
export const levelKinds: readonly CountKind[] = [
  { id: "fatal", label: "fatal", ink: "--unhealthy-fg", opacity: 1 },
  { id: "error", label: "error", ink: "--unhealthy", opacity: 1 },
  { id: "warn", label: "warn", ink: "--warning", opacity: 1 },
  { id: "info", label: "info", ink: "--info", opacity: 0.75 },
  { id: "debug", label: "debug", ink: "--unknown", opacity: 0.8 },
  { id: "trace", label: "trace", ink: "--unknown", opacity: 0.5 },
  { id: "none", label: "no level", ink: "--unknown", opacity: 0.35 },
];

/** The edge of a line that matters. */
export const edgeOf = (level: LineLevel | undefined): string =>
  level === undefined || lineLevels.indexOf(level) < lineLevels.indexOf("warn")
    ? "border-l-transparent"
    : level === "warn"
      ? "border-l-warning"
      : "border-l-unhealthy";
