import { isHealth } from "@mainstay/contract/catalog.ts";
import { classNames } from "@mainstay/ui/class-names.ts";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";

const inWords = {
  healthy: "Healthy",
  warning: "Warning",
  unhealthy: "Unhealthy",
  unknown: "Unknown",
} as const;

export interface HealthBadgeProps {
  health: string | null | undefined;
  /** The word of its own kind: `CrashLoopBackOff`. */
  status?: string | null | undefined;
  /** Nobody sees it any more: this is how it was last. */
  isDeleted?: boolean;
  className?: string;
}

/** How an item is: the shape and colour of its health, and its own word for it where it has one. */
export function HealthBadge({ health, status, isDeleted = false, className }: HealthBadgeProps) {
  const known = isHealth(health) ? health : "unknown";
  const word = status || inWords[known];
  return (
    <span
      className={classNames("inline-flex max-w-full min-w-0 items-center gap-1.5", className)}
      data-tooltip={`${isDeleted ? "Last status" : "Health"}: ${inWords[known]}${status ? `\n${status}` : ""}`}
    >
      <StatusDot
        tone={known}
        isFaded={isDeleted}
        // Where its own word is another, the health is still said.
        {...(word !== inWords[known] && { label: inWords[known] })}
      />
      <span className="truncate">{word}</span>
    </span>
  );
}
