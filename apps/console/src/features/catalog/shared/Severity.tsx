import { StatusDot, type Tone } from "@mainstay/ui/StatusDot.tsx";

/** Document 2: critical red, high orange, warning yellow, info grey, low and medium green; a blocker is as bad as it gets. */
const tones: Readonly<Record<string, Tone | "yellow">> = {
  critical: "unhealthy",
  blocker: "unhealthy",
  high: "warning",
  warning: "yellow",
  medium: "healthy",
  low: "healthy",
  info: "unknown",
};

/** How much a change or an insight matters: a shape, its colour and the word. */
export function Severity({ severity }: { severity: string | null | undefined }) {
  const word = severity?.toLowerCase() || "info";
  const tone = tones[word] ?? "unknown";
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      {tone === "yellow" ? (
        <svg
          aria-hidden="true"
          viewBox="0 0 10 10"
          className="size-2.5 shrink-0 fill-current text-running"
        >
          <path d="M5 0.8 9.6 9H0.4z" />
        </svg>
      ) : (
        <StatusDot tone={tone} />
      )}
      <span className="truncate">{word}</span>
    </span>
  );
}
