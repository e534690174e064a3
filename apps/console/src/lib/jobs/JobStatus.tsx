import { StatusDot, type Tone } from "@mainstay/ui/StatusDot.tsx";

/** Document 3, section 4; what else is written says nothing of health. */
const tones: Readonly<Record<string, Tone>> = {
  SUCCESS: "healthy",
  WARNING: "warning",
  FAILED: "unhealthy",
  STOPPED: "unhealthy",
};

/** How a run of a job ended, in lower case, or that it goes on. */
export function JobStatus({ status }: { status: string | null }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      {status === "RUNNING" ? (
        <span
          aria-hidden="true"
          className="size-2.5 shrink-0 rounded-full border-[3px] border-running border-r-transparent"
        />
      ) : (
        <StatusDot tone={tones[status ?? ""] ?? "unknown"} />
      )}
      <span className="truncate">{status?.toLowerCase() ?? "–"}</span>
    </span>
  );
}
