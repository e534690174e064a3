import { useQuery } from "@tanstack/react-query";
import { isHealth } from "@mainstay/contract/catalog.ts";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import { AppLink } from "#lib/AppLink.tsx";
import { paths } from "#lib/paths.ts";
import { PanelList } from "#lib/places/PanelList.tsx";
import { CheckTypeIcon } from "../check/CheckTypeIcon.tsx";
import { componentCheckQueries } from "./queries.ts";

/** The checks of a component itself; each leads to its results. */
export function ChecksPanel({ component }: { component: { id: string } }) {
  return (
    <PanelList
      noun="checks"
      query={useQuery(componentCheckQueries.ofComponent(component.id))}
      rowId={({ id }) => id ?? ""}
      onMore={() => {}}
      empty="No check belongs to this component itself."
      renderRow={({ id, name, type, status }) => (
        <>
          <StatusDot
            tone={isHealth(status) ? status : "unknown"}
            label={status ?? "not known yet"}
          />
          <CheckTypeIcon type={type ?? ""} size={14} />
          <AppLink
            to={paths.check(id ?? "")}
            className="min-w-0 flex-1 truncate hover:text-accent hover:underline"
          >
            <bdi>{name}</bdi>
          </AppLink>
        </>
      )}
    />
  );
}
