import { Lock } from "lucide-react";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { PageBar } from "#lib/PageBar.tsx";

export function Unauthorized() {
  return (
    <div role="alert" className="flex h-full flex-col justify-center">
      <PageBar crumbs={[{ label: "Unauthorized" }]} />
      <EmptyState
        icon={<Lock size={20} strokeWidth={1.75} />}
        title="Unauthorized - You do not have permission to access this page"
      />
    </div>
  );
}
