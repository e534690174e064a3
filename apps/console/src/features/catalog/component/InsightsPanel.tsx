import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { AppLink } from "#lib/AppLink.tsx";
import { paths } from "#lib/paths.ts";
import { panelPage, PanelList } from "#lib/places/PanelList.tsx";
import { lookOfInsight } from "../figures/insight-looks.ts";
import { ItemLink } from "../shared/ItemLink.tsx";
import { Severity } from "../shared/Severity.tsx";
import { componentQueries } from "./queries.ts";

/** The open insights of the items that a component is, the gravest first. */
export function InsightsPanel({ component }: { component: { id: string } }) {
  const [limit, setLimit] = useState(panelPage);
  const query = useQuery(componentQueries.insights(component.id, limit));
  return (
    <>
      <PanelList
        noun="insights"
        query={query}
        rowId={({ analysis_id }) => analysis_id ?? ""}
        onMore={() => setLimit(limit + panelPage)}
        empty="There are no open insights of the items that are linked with this component."
        renderRow={({ config_id, name, type, analysis_type, severity }) => (
          <>
            <span className="w-18 shrink-0 text-xs">
              <Severity severity={severity} />
            </span>
            <span className="min-w-0 shrink-0 text-xs text-muted">
              {lookOfInsight(analysis_type).label}
            </span>
            <span className="min-w-0 flex-1 truncate">
              <ItemLink item={{ id: config_id ?? "", name, type }} />
            </span>
          </>
        )}
      />
      {(query.data?.total ?? 0) > 0 && (
        <AppLink
          to={paths.catalogInsights({ component: component.id })}
          className="mt-1 inline-block text-xs text-accent hover:underline"
        >
          All of them in the catalog
        </AppLink>
      )}
    </>
  );
}
