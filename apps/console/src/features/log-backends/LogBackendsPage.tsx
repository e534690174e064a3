import { Suspense } from "react";
import { loadDialog } from "@mainstay/ui/Dialog.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { paths } from "#lib/paths.ts";
import type { ListedKind } from "#lib/resources/queries.ts";
import { ResourceListPage } from "#lib/resources/ResourceListPage.tsx";
import { useUrlState } from "#lib/url-state.ts";
import { useAccess } from "#lib/use-access.ts";

const AddLogBackendDialog = lazyPart(() => {
  loadDialog().catch(() => {});
  return import("./AddLogBackendDialog.tsx").then((module) => module.AddLogBackendDialog);
});

const codec = {
  parse: (raw: Record<string, string | undefined>) => ({ add: raw["addLogBackend"] === "true" }),
  format: ({ add }: { add: boolean }) => ({ addLogBackend: add ? "true" : undefined }),
};

const listed: ListedKind = {
  kind: "logging_backend",
  table: "logging_backends",
  // They are asked when somebody asks for lines, and not by a schedule.
  without: ["schedule"],
};

/** /settings/logging-backends: where lines are. */
export function LogBackendsPage() {
  const [{ add }, change] = useUrlState(codec);
  const mayWrite = useAccess().may("write", "logging_backends");
  return (
    <ResourceListPage
      of={listed}
      title="Log Backends"
      to={(id) => paths.logBackend(id)}
      create={
        mayWrite ? { label: "Add log backend", onCreate: () => change({ add: true }) } : undefined
      }
      about="A log backend says where log lines are: files, a journal, Loki, Elasticsearch, pods and the like."
    >
      <Suspense>
        {add && mayWrite && <AddLogBackendDialog onClose={() => change({ add: false })} />}
      </Suspense>
    </ResourceListPage>
  );
}
