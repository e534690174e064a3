import { Suspense } from "react";
import { loadDialog } from "@mainstay/ui/Dialog.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import type { ListedKind } from "#lib/resources/queries.ts";
import { ResourceListPage } from "#lib/resources/ResourceListPage.tsx";
import { paths } from "#lib/paths.ts";
import { useUrlState } from "#lib/url-state.ts";
import { useAccess } from "#lib/use-access.ts";

const AddCheckDialog = lazyPart(() => {
  loadDialog().catch(() => {});
  return import("../editor/AddCheckDialog.tsx").then((module) => module.AddCheckDialog);
});

const codec = {
  parse: (raw: Record<string, string | undefined>) => ({ addCheck: raw["addCheck"] === "true" }),
  format: ({ addCheck }: { addCheck: boolean }) => ({ addCheck: addCheck ? "true" : undefined }),
};

const canaries: ListedKind = {
  kind: "canary",
  view: "canaries_with_status",
  table: "canaries",
  without: ["namespace"],
  lastRun: "last_runtime",
};

/** /settings/canaries: where checks come from. */
export function CanariesPage() {
  const [{ addCheck }, change] = useUrlState(codec);
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
              onCreate: () => change({ addCheck: true }),
            }
          : undefined
      }
      about="A health check is a document that says what is checked, how, and when."
    >
      <Suspense>
        {addCheck && mayWrite && <AddCheckDialog onClose={() => change({ addCheck: false })} />}
      </Suspense>
    </ResourceListPage>
  );
}
