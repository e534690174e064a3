import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import type { Tone } from "./StatusDot.tsx";

const looks: Record<Tone | "plain", string> = {
  plain: "border-border bg-sunken text-muted",
  healthy: "border-transparent bg-healthy-bg text-healthy-fg",
  warning: "border-transparent bg-warning-bg text-warning-fg",
  unhealthy: "border-transparent bg-unhealthy-bg text-unhealthy-fg",
  unknown: "border-transparent bg-unknown-bg text-unknown-fg",
  info: "border-transparent bg-info-bg text-info-fg",
};

export interface BadgeProps {
  tone?: Tone | "plain";
  children: ReactNode;
  tooltip?: string;
  className?: string;
}

export function Badge({ tone = "plain", children, tooltip, className }: BadgeProps) {
  return (
    <span
      data-tooltip={tooltip}
      className={classNames(
        "inline-flex h-4.5 max-w-full shrink-0 items-center gap-1 truncate rounded-control border px-1.5 text-2xs font-medium tabular-nums",
        looks[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}
