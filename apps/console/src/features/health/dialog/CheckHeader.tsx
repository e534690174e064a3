import type { ReactNode } from "react";
import type { HealthGraph } from "@mainstay/contract/health.ts";
import { Age } from "@mainstay/ui/Age.tsx";
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

export interface CheckHeaderProps {
  check: CheckRowDetail | undefined;
  graph: HealthGraph | undefined;
  /** The figures belong to the range before. */
  isStale: boolean;
}

/** The figures of a check over the chosen range, and its times. */
export function CheckHeader({ check, graph, isStale }: CheckHeaderProps) {
  const { passed = 0, failed = 0 } = graph?.uptime ?? {};
  const latency = graph?.latency;
  return (
    <dl className="m-0 flex flex-wrap gap-x-7 gap-y-1">
      <Stat label="Uptime" isOld={isStale}>
        {graph ? (
          <>
            {formatPercent(passed, passed + failed)}{" "}
            <span className="text-xs font-normal text-muted">
              {passed} passed, {failed} failed
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
      <Stat label="Last run">{check ? <Age at={serverTime(check.last_runtime)} /> : blank}</Stat>
      <Stat label="Transitioned">
        {check ? <Age at={serverTime(check.last_transition_time)} /> : blank}
      </Stat>
      <Stat label="Next run">{check ? <Age at={serverTime(check.next_runtime)} /> : blank}</Stat>
    </dl>
  );
}
