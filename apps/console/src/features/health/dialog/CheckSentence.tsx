import type { CheckNow } from "@mainstay/contract/health.ts";
import { Moment } from "@mainstay/ui/Age.tsx";
import { CopyButton } from "@mainstay/ui/CopyButton.tsx";
import { useClock } from "@mainstay/ui/clock.ts";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import { AppLink } from "#lib/AppLink.tsx";
import { paths } from "#lib/paths.ts";
import { toServerTime } from "#lib/server-clock.ts";
import { serverTime } from "../check/server-time.ts";
import { sentenceOf } from "./check-sentence.ts";
import type { CheckRowDetail } from "./queries.ts";

export interface CheckSentenceProps {
  check: CheckRowDetail | undefined;
  now: CheckNow | undefined;
}

/** What somebody who was woken reads first: how it stands, for how long and why, and what it is that is tried. */
export function CheckSentence({ check, now }: CheckSentenceProps) {
  // As text, so that it is drawn again only when it says something else.
  const told = useClock((clock) =>
    now ? JSON.stringify(sentenceOf(now, toServerTime(clock))) : "",
  );
  if (!check || !now || told === "")
    return (
      <div className="flex flex-col gap-1.5 px-4 pt-3">
        <span className="skeleton inline-block h-5 w-80 max-w-full" />
        <span className="skeleton inline-block h-4 w-60 max-w-full" />
      </div>
    );
  const { tone, head, why, isOld } = JSON.parse(told) as ReturnType<typeof sentenceOf>;
  const since = serverTime(now.since);
  const endpoint = now.endpoint;
  return (
    <section aria-label="How it stands" className="flex flex-col gap-1 px-4 pt-3">
      <p className="m-0 flex items-baseline gap-2 text-md">
        <StatusDot tone={tone} isFaded={isOld ?? false} />
        <span className="min-w-0 break-words">
          <strong className="font-semibold">{head}</strong>
          {why && `: ${why}`}
          {!Number.isNaN(since) && (
            <span className="text-sm text-muted">
              {" "}
              (since <Moment at={since} />)
            </span>
          )}
        </span>
      </p>
      <p className="m-0 flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm text-muted">
        <span>{check.type}</span>
        {endpoint && (
          <span className="flex min-w-0 items-center gap-0.5">
            <code className="min-w-0 font-mono text-xs break-all text-text select-all">
              {endpoint}
            </code>
            <CopyButton text={endpoint} label="Copy endpoint" />
          </span>
        )}
        {check.canaries && (
          <span>
            of{" "}
            <AppLink to={paths.canary(check.canaries.id)} className="text-accent hover:underline">
              {check.canaries.name}
            </AppLink>
          </span>
        )}
        {check.description && <span className="break-words text-text">{check.description}</span>}
      </p>
    </section>
  );
}
