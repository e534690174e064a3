import { Lock } from "lucide-react";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";

export function Unauthorized() {
  return (
    <div role="alert">
      <EmptyState
        icon={<Lock size={20} strokeWidth={1.75} />}
        title="Unauthorized - You do not have permission to access this page"
      />
    </div>
  );
}
