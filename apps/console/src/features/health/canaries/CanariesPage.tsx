import { useRouter } from "@tanstack/react-router";
import type { ListedKind } from "#lib/resources/queries.ts";
import { ResourceListPage } from "#lib/resources/ResourceListPage.tsx";
import { paths } from "#lib/paths.ts";
import { useAccess } from "#lib/use-access.ts";

const canaries: ListedKind = {
  kind: "canary",
  view: "canaries_with_status",
  table: "canaries",
  without: ["namespace"],
  lastRun: "last_runtime",
};

/** /settings/canaries: where checks come from. */
export function CanariesPage() {
  const { history } = useRouter();
  const mayWrite = useAccess().gate({ write: "canaries", feature: "health" }) === "open";
  return (
    <ResourceListPage
      of={canaries}
      title="Health Checks"
      to={paths.canary}
      create={
        mayWrite
          ? {
              label: "Add check",
              onCreate: () => history.push(paths.health({ addCheck: true })),
            }
          : undefined
      }
      about="A health check is a document that says what is checked, how, and when."
    />
  );
}
