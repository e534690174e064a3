import { History } from "lucide-react";
import { AppLink } from "../AppLink.tsx";
import { paths } from "../paths.ts";
import { useAccess } from "../use-access.ts";

/** From a resource to what the audit log has of it, for who may read that. */
export function HistoryLink({ kind, id }: { kind: string; id: string }) {
  const access = useAccess();
  if (access.gate({ read: "audit", feature: "settings.audit" }) !== "open") return null;
  return (
    <AppLink
      to={paths.audit({ resource_type: kind, resource_id: id })}
      className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-control border border-control bg-raised px-2.5 text-sm font-medium hover:bg-hover max-tablet:w-7 max-tablet:justify-center max-tablet:px-0"
      data-tooltip="History of changes"
    >
      <History aria-hidden="true" size={14} strokeWidth={1.75} />
      <span className="max-tablet:sr-only">History of changes</span>
    </AppLink>
  );
}
