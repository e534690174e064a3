import { TriangleAlert } from "lucide-react";
import { Age } from "@mainstay/ui/Age.tsx";
import { Button } from "@mainstay/ui/Button.tsx";

/** A refresh failed: what is shown is old, and says so. */
export function StaleNotice({
  message,
  updatedAt,
  onRetry,
}: {
  message: string;
  updatedAt: number;
  onRetry: () => void;
}) {
  return (
    <div
      role="alert"
      className="flex shrink-0 items-center gap-2 border-b bg-unhealthy-bg px-4 py-1 text-sm text-unhealthy-fg"
    >
      <TriangleAlert aria-hidden="true" size={16} strokeWidth={1.75} className="shrink-0" />
      <span className="min-w-0 flex-1">
        Could not refresh: {message} What is shown is from <Age at={updatedAt} />.
      </span>
      <Button kind="quiet" className="text-unhealthy-fg!" onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}
