import { useQuery } from "@tanstack/react-query";
import { Button } from "@mainstay/ui/Button.tsx";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import { formatDuration } from "@mainstay/ui/duration.ts";
import { JsonView } from "@mainstay/ui/json-view/JsonView.tsx";
import { messageOf } from "#lib/api-error.ts";
import { checkQueries } from "./queries.ts";
import { readHttpDetails, type HttpDetails, type Phase } from "./run-details.ts";

const phaseNames: Record<Phase, string> = {
  dns: "DNS",
  connect: "Connect",
  tls: "TLS",
  firstByte: "First byte",
  transfer: "Transfer",
};
const phaseLooks: Record<Phase, string> = {
  dns: "bg-accent opacity-40",
  connect: "bg-accent opacity-55",
  tls: "bg-accent opacity-70",
  firstByte: "bg-accent",
  transfer: "bg-accent opacity-85",
};
const dayMs = 86_400_000;

/** Where the time of a run went: a bar, and the same in words. */
function Timings({ timings, endedIn }: Pick<HttpDetails, "timings" | "endedIn">) {
  const all = timings.reduce((sum, [, ms]) => sum + ms, 0);
  return (
    <div className="flex flex-col gap-1">
      <h3 className="m-0 text-2xs font-medium text-muted">Where the time went</h3>
      <span
        aria-hidden="true"
        className="flex h-2 w-full max-w-xl gap-px overflow-hidden rounded-sm"
      >
        {timings.map(([phase, ms]) => (
          <span
            key={phase}
            className={phaseLooks[phase]}
            style={{ width: `${all === 0 ? 0 : (ms / all) * 100}%` }}
          />
        ))}
      </span>
      <dl className="m-0 flex flex-wrap gap-x-5 gap-y-0.5 text-xs tabular-nums">
        {timings.map(([phase, ms]) => (
          <div key={phase} className="flex gap-1.5">
            <dt className="text-muted">{phaseNames[phase]}</dt>
            <dd className="m-0">
              {ms < 10 ? `${Math.round(ms * 10) / 10}ms` : formatDuration(ms)}
              {phase === endedIn && <strong className="text-unhealthy-fg"> it ended here</strong>}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Answer({ details }: { details: HttpDetails }) {
  const { status, address, headers, content, isWholeContent, certificateLeftMs } = details;
  return (
    <>
      {status && (
        <p className="m-0 font-mono text-sm break-words">
          HTTP/1.1 <strong className="font-semibold">{status}</strong>
          {address && <span className="text-muted"> from {address}</span>}
        </p>
      )}
      {details.timings.length > 0 && <Timings {...details} />}
      {certificateLeftMs !== undefined && (
        <p className="m-0 text-sm">
          The certificate {certificateLeftMs < 0 ? "had expired for" : "was good for another"}{" "}
          {Math.floor(Math.abs(certificateLeftMs) / dayMs)} days.
        </p>
      )}
      {headers.length > 0 && (
        <div className="flex flex-col gap-1">
          <h3 className="m-0 text-2xs font-medium text-muted">Headers</h3>
          <dl className="m-0 grid grid-cols-[fit-content(40%)_1fr] gap-x-3 gap-y-0.5 font-mono text-xs">
            {headers.map(([name, value]) => (
              <div key={name} className="contents">
                <dt className="break-all text-muted">{name}</dt>
                <dd className="m-0 break-all">{value}</dd>
              </div>
            ))}
          </dl>
        </div>
      )}
      {content !== "" && (
        <div className="flex flex-col gap-1">
          <h3 className="m-0 text-2xs font-medium text-muted">
            Body{isWholeContent ? "" : ", its beginning"}
          </h3>
          <CodeView label="Body of the answer" language="text" text={content} />
        </div>
      )}
    </>
  );
}

/** What a run left beside its message, asked for when it is opened. */
export function RunDetails({
  checkId,
  time,
  type,
}: {
  checkId: string;
  time: string;
  type: string;
}) {
  const { data, error, isPending, refetch } = useQuery(checkQueries.runDetails(checkId, time));
  if (error)
    return (
      <p role="alert" className="m-0 flex flex-wrap items-center gap-2 text-sm text-unhealthy-fg">
        The details of this run could not be loaded: {messageOf(error)}
        <Button onClick={() => void refetch()}>Retry</Button>
      </p>
    );
  if (isPending) return <span aria-hidden="true" className="skeleton inline-block h-4 w-48" />;
  const details = data?.details;
  if (details === null || details === undefined || typeof details !== "object") return null;
  const http = type === "http" ? readHttpDetails(details as Record<string, unknown>) : undefined;
  return (
    <section aria-label="Details of this run" className="flex flex-col gap-3">
      {http ? (
        <Answer details={http} />
      ) : (
        <>
          <h3 className="m-0 -mb-2 text-2xs font-medium text-muted">Details</h3>
          <JsonView label="Details" value={details} openLevels={1} />
        </>
      )}
    </section>
  );
}
