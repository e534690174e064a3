import type { ReactNode } from "react";
import type { HealthGraph } from "@mainstay/contract/health.ts";
import { Age, Moment } from "@mainstay/ui/Age.tsx";
import { useClock } from "@mainstay/ui/clock.ts";
import { classNames } from "@mainstay/ui/class-names.ts";
import { formatDuration, formatPercent } from "@mainstay/ui/duration.ts";
import { serverTime } from "../check/server-time.ts";
import type { CheckRowDetail } from "./queries.ts";

function Stat({
  label,
  isOld = false,
  children,
}: {
  label: string;
  isOld?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={classNames("flex flex-col", isOld && "text-muted")}>
      <dt className="text-2xs text-muted">{label}</dt>
      <dd className="m-0 min-h-6 text-md font-medium tabular-nums">{children}</dd>
    </div>
  );
}

const blank = <span className="skeleton mt-1 inline-block h-4 w-16" />;
const ms = (value: number | undefined) => (value === undefined ? "–" : formatDuration(value));

/** How long ago or ahead, and when. What is ahead is due when its time has come, until it has happened. */
function Time({ at, isAhead = false }: { at: string | undefined; isAhead?: boolean }) {
  const moment = serverTime(at);
  const isDue = useClock((now) => isAhead && moment <= now);
  return (
    <>
      {isDue ? "now" : <Age at={moment} />}
      {!Number.isNaN(moment) && (
        <span className="block text-xs font-normal text-muted">
          <Moment at={moment} />
        </span>
      )}
    </>
  );
}

export interface CheckHeaderProps {
  check: CheckRowDetail | undefined;
  graph: HealthGraph | undefined;
  /** The figures belong to the range before. */
  isStale: boolean;
}

const number = new Intl.NumberFormat();

/** The figures of a check over the chosen range, and its times. */
export function CheckHeader({ check, graph, isStale }: CheckHeaderProps) {
  const { passed = 0, failed = 0, unknown = 0 } = graph?.uptime ?? {};
  const latency = graph?.latency;
  const now = graph?.now;
  return (
    <dl className="m-0 flex flex-wrap gap-x-7 gap-y-1 max-phone:grid max-phone:w-full max-phone:grid-cols-3 max-phone:gap-x-3">
      <Stat label="Uptime" isOld={isStale}>
        {graph ? (
          <>
            {formatPercent(passed, passed + failed)}
            <span className="block text-xs font-normal text-muted">
              {number.format(passed)} passed, {number.format(failed)} failed
              {unknown > 0 && `, ${number.format(unknown)} not tried`}
            </span>
          </>
        ) : (
          blank
        )}
      </Stat>
      <Stat label="Latency p95" isOld={isStale}>
        {graph ? ms(latency?.p95) : blank}
      </Stat>
      <Stat label="p97" isOld={isStale}>
        {graph ? ms(latency?.p97) : blank}
      </Stat>
      <Stat label="p99" isOld={isStale}>
        {graph ? ms(latency?.p99) : blank}
      </Stat>
      <Stat label="Severity">{check ? check.severity || check.spec?.severity || "–" : blank}</Stat>
      <Stat label="Last run">{now ? <Time at={now.last_runtime} /> : blank}</Stat>
      <Stat label="Transitioned">{now ? <Time at={now.last_transition_time} /> : blank}</Stat>
      <Stat label="Next run">{now ? <Time at={now.next_runtime} isAhead /> : blank}</Stat>
    </dl>
  );
}
