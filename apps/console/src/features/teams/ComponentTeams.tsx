import { useQuery } from "@tanstack/react-query";
import { PanelList } from "#lib/places/PanelList.tsx";
import { ResourceLink } from "#lib/resources/ResourceLink.tsx";
import { teamsOfComponent } from "./queries.ts";

/** The teams that a component belongs to. */
export function ComponentTeams({ component }: { component: { id: string } }) {
  return (
    <PanelList
      noun="teams"
      query={useQuery(teamsOfComponent(component.id))}
      rowId={({ team_id }) => team_id}
      onMore={() => {}}
      empty="No team owns this component."
      renderRow={({ team }) => team && <ResourceLink kind="team" id={team.id} name={team.name} />}
    />
  );
}
