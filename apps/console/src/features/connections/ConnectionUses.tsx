import { useQuery } from "@tanstack/react-query";
import { Button } from "@mainstay/ui/Button.tsx";
import { ResourceLink } from "#lib/resources/ResourceLink.tsx";
import { connectionQueries } from "./queries.ts";

/** What names a connection. */
export function ConnectionUses({ id }: { id: string }) {
  const { data, isError, isPending, refetch } = useQuery(connectionQueries.uses(id));
  if (isError)
    return (
      <p className="m-0 flex items-center gap-2 text-sm text-muted">
        Where it is used could not be found out.
        <Button onClick={() => void refetch()}>Try again</Button>
      </p>
    );
  if (isPending)
    return (
      <output className="block">
        <span className="sr-only">Looking for where it is used</span>
        <span className="skeleton block h-4 w-1/2" />
      </output>
    );
  if (data.uses.length === 0) return <p className="m-0 text-sm text-muted">Nothing uses it.</p>;
  return (
    <ul aria-label="Used by" className="m-0 flex max-h-48 list-none flex-col overflow-auto p-0">
      {data.uses.map((use) => (
        <li
          key={`${use.kind}/${use.id}/${use.place ?? ""}`}
          className="flex min-h-7 min-w-0 items-center gap-2 text-sm"
        >
          <ResourceLink kind={use.kind} id={use.id} name={use.name} />
          <span className="min-w-0 truncate text-xs text-muted">
            {use.namespace}
            {use.place !== undefined && ` · ${use.place}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
