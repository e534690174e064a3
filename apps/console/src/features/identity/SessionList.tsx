import { useQuery } from "@tanstack/react-query";
import { Age } from "@mainstay/ui/Age.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { Button } from "@mainstay/ui/Button.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { messageOf } from "#lib/api-error.ts";
import type { DeviceSession } from "./front/calls.ts";
import { deviceName } from "./device-name.ts";
import { useRevokeSession } from "./mutations.ts";
import { sessionQueries } from "./queries.ts";

function Row({
  session,
  onRevoke,
}: {
  session: DeviceSession;
  onRevoke?: (() => void) | undefined;
}) {
  const device = session.devices?.at(-1);
  const name = deviceName(device?.user_agent);
  const seen = session.last_seen_at ?? session.authenticated_at ?? session.issued_at;
  return (
    <li className="flex min-h-12 items-center gap-3 border-b py-1.5 last:border-b-0">
      <div className="min-w-0 flex-1">
        <p
          className="m-0 flex items-center gap-2 truncate text-sm"
          data-tooltip={device?.user_agent}
        >
          {name}
          {onRevoke === undefined && <Badge>This device</Badge>}
        </p>
        <p className="m-0 flex flex-wrap gap-x-2 text-xs text-muted">
          {device?.ip_address && <span className="font-mono">{device.ip_address}</span>}
          {device?.location && <span>{device.location}</span>}
          {seen !== undefined && (
            <span>
              {session.last_seen_at === undefined ? "signed in " : "last seen "}
              <Age at={seen} />
            </span>
          )}
        </p>
      </div>
      {onRevoke && (
        <Button aria-label={`Sign out ${name}`} onClick={onRevoke}>
          Sign out
        </Button>
      )}
    </li>
  );
}

/** Where one is signed in, and a way to end it there. */
export function SessionList() {
  const { data, error, refetch } = useQuery(sessionQueries.list);
  const revoke = useRevokeSession();
  if (error && !data)
    return (
      <ErrorDisplay
        title="Your sessions could not be loaded"
        message={messageOf(error)}
        onRetry={() => void refetch()}
      />
    );
  if (!data) return <SkeletonRows rows={2} />;
  return (
    <>
      <ul className="m-0 flex list-none flex-col p-0">
        <Row session={data.own} />
        {data.others.map((session) => (
          <Row key={session.id} session={session} onRevoke={() => revoke.mutate(session.id)} />
        ))}
      </ul>
      {data.others.length > 0 && (
        <Button
          kind="danger"
          className="self-start"
          disabled={revoke.isPending}
          onClick={() => revoke.mutate(null)}
        >
          Sign out everywhere else
        </Button>
      )}
    </>
  );
}
