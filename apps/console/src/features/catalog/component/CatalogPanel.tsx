import { useQuery } from "@tanstack/react-query";
import { Link2, Unlink } from "lucide-react";
import { Suspense, useState } from "react";
import { Button, IconButton } from "@mainstay/ui/Button.tsx";
import { loadDialog } from "@mainstay/ui/Dialog.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { toastDone, toastFailed } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { panelPage, PanelList } from "#lib/places/PanelList.tsx";
import { useAccess } from "#lib/use-access.ts";
import { ItemLink } from "../shared/ItemLink.tsx";
import { useLinks } from "./mutations.ts";
import { byHand, componentQueries, type LinkedItem } from "./queries.ts";

const LinkDialog = lazyPart(() => {
  loadDialog().catch(() => {});
  return import("./LinkDialog.tsx").then((module) => module.LinkDialog);
});

/** The items of the catalog that a component is; those that people linked can be taken out. */
export function CatalogPanel({ component }: { component: { id: string; name: string } }) {
  const [limit, setLimit] = useState(panelPage);
  const query = useQuery(componentQueries.items(component.id, limit));
  const { unlink } = useLinks(component.id);
  const mayWrite = useAccess().may("write", "topologies");
  const [isLinking, setIsLinking] = useState(false);
  const remove = ({ config_id: itemId }: LinkedItem) =>
    unlink.mutate(itemId, {
      onSuccess: () => toastDone("Deleted config link successfully"),
      onError: (error) => toastFailed(messageOf(error)),
    });
  return (
    <>
      <PanelList<LinkedItem>
        noun="catalog items"
        query={query}
        rowId={(row) => `${row.config_id} ${row.selector_id ?? ""}`}
        onMore={() => setLimit(limit + panelPage)}
        empty="No item of the catalog is linked with this component."
        renderRow={(row) => (
          <>
            <span className="min-w-0 flex-1 truncate">
              <ItemLink item={row.configs ?? { id: row.config_id, name: null, type: null }} />
            </span>
            {mayWrite && row.selector_id === byHand && (
              <IconButton
                label={`Unlink ${row.configs?.name ?? "the item"}`}
                icon={<Unlink size={14} strokeWidth={1.75} />}
                disabled={unlink.isPending}
                onClick={() => remove(row)}
              />
            )}
          </>
        )}
      />
      {mayWrite && (
        <Button
          className="mt-2"
          icon={<Link2 size={14} strokeWidth={1.75} />}
          onClick={() => setIsLinking(true)}
        >
          Link to catalog
        </Button>
      )}
      <Suspense>
        {isLinking && <LinkDialog component={component} onClose={() => setIsLinking(false)} />}
      </Suspense>
    </>
  );
}
