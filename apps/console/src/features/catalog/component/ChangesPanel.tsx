import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Age } from "@mainstay/ui/Age.tsx";
import { panelPage, PanelList } from "#lib/places/PanelList.tsx";
import { ItemLink } from "../shared/ItemLink.tsx";
import { Severity } from "../shared/Severity.tsx";
import { componentQueries } from "./queries.ts";

/** What has changed of the items that a component is, newest first. */
export function ChangesPanel({ component }: { component: { id: string } }) {
  const [limit, setLimit] = useState(panelPage);
  return (
    <PanelList
      noun="changes"
      query={useQuery(componentQueries.changes(component.id, limit))}
      rowId={({ id }) => id ?? ""}
      onMore={() => setLimit(limit + panelPage)}
      empty="Nothing has changed of the items that are linked with this component."
      renderRow={({ config_id, name, type, change_type, summary, severity, created_at }) => (
        <span className="flex min-w-0 flex-1 flex-col py-0.5">
          <span className="flex min-w-0 items-baseline gap-2">
            <span className="min-w-0 flex-1 truncate" data-tooltip={summary || undefined}>
              {change_type}
              {summary && <span className="text-muted"> {summary}</span>}
            </span>
            <span className="shrink-0 text-xs text-muted">
              <Age at={created_at} />
            </span>
          </span>
          <span className="flex min-w-0 items-center gap-2 text-xs">
            <span className="min-w-0 flex-1 truncate">
              <ItemLink item={{ id: config_id ?? "", name, type }} />
            </span>
            <Severity severity={severity} />
          </span>
        </span>
      )}
    />
  );
}
