import { Play, X } from "lucide-react";
import type { CheckNow, RunNowReply } from "@mainstay/contract/health.ts";
import { runCheckRoles } from "@mainstay/contract/permissions.ts";
import { Moment } from "@mainstay/ui/Age.tsx";
import { IconButton } from "@mainstay/ui/Button.tsx";
import { formatDuration } from "@mainstay/ui/duration.ts";
import { StatusDot, type Tone } from "@mainstay/ui/StatusDot.tsx";
import { messageOf } from "#lib/api-error.ts";
import { GatedButton } from "#lib/GatedButton.tsx";
import { useAccess } from "#lib/use-access.ts";
import { serverTime } from "../check/server-time.ts";
import type { useRunCheck } from "../mutations.ts";

type Run = ReturnType<typeof useRunCheck>;

export function RunButton({ run, now }: { run: Run; now: CheckNow | undefined }) {
  const access = useAccess();
  const held = now?.held === undefined ? undefined : `It is held and cannot run: ${now.held}`;
  return (
    <GatedButton
      kind="primary"
      whyNot={access.whyNotRole(runCheckRoles) ?? held}
      icon={<Play size={14} strokeWidth={1.75} />}
      disabled={run.isPending}
      aria-busy={run.isPending}
      onClick={() => run.mutate()}
    >
      {run.isPending ? "Running..." : "Run Now"}
    </GatedButton>
  );
}

/** Servers of the reference's date answer with counts alone. */
function outcomeOf(reply: RunNowReply): { tone: Tone; head: string; said: string[] } {
  const took = reply.duration === undefined ? "" : ` in ${formatDuration(reply.duration)}`;
  const said = [reply.error, reply.message].filter((text) => text !== undefined && text !== "");
  const isUntried = reply.untried === true;
  return {
    tone: isUntried ? "unknown" : reply.pass ? "healthy" : "unhealthy",
    head: isUntried ? "Could not be tried" : `${reply.pass ? "Passed" : "Failed"}${took}`,
    said: said as string[],
  };
}

/** What came of the run that was asked for here. */
export function RunResultPanel({ run }: { run: Run }) {
  if (run.isIdle) return null;
  const outcome = run.data && outcomeOf(run.data);
  const started = serverTime(run.data?.start);
  return (
    <section
      aria-label="Result of Run Now"
      className="mx-4 mt-3 flex items-start gap-2 rounded-card border bg-raised py-1.5 pr-1.5 pl-3 text-sm"
    >
      <div role="status" className="flex min-w-0 flex-1 flex-col gap-0.5 py-1">
        {run.isPending ? (
          <span className="text-muted">Running…</span>
        ) : outcome ? (
          <>
            <span className="flex flex-wrap items-center gap-2">
              <StatusDot tone={outcome.tone} />
              <strong className="font-semibold">{outcome.head}</strong>
              {!Number.isNaN(started) && (
                <span className="text-xs text-muted">
                  run by hand at <Moment at={started} />
                </span>
              )}
            </span>
            {outcome.said.map((text) => (
              <span
                key={text}
                className="max-h-24 overflow-auto break-words whitespace-pre-wrap text-muted"
              >
                {text}
              </span>
            ))}
          </>
        ) : (
          <span className="text-unhealthy-fg">It was not run: {messageOf(run.error)}</span>
        )}
      </div>
      {!run.isPending && (
        <IconButton
          label="Dismiss the result"
          icon={<X size={14} strokeWidth={1.75} />}
          onClick={() => run.reset()}
        />
      )}
    </section>
  );
}
