import { RotateCw, TriangleAlert } from "lucide-react";
import { Button } from "./Button.tsx";

export interface ErrorDisplayProps {
  /** What failed. */
  title: string;
  /** Why, and what to do. */
  message: string;
  details?: string | undefined;
  onRetry?: () => void;
}

/** A failure in place of what should have been there. */
export function ErrorDisplay({ title, message, details, onRetry }: ErrorDisplayProps) {
  return (
    <div role="alert" className="flex flex-col items-center gap-2 px-6 py-14 text-center">
      <TriangleAlert aria-hidden="true" size={20} strokeWidth={1.75} className="text-unhealthy" />
      <p className="m-0 text-md font-medium">{title}</p>
      <p className="m-0 max-w-xl text-sm break-words text-muted">{message}</p>
      {details !== undefined && details !== "" && (
        <details className="w-full max-w-2xl text-left text-xs text-muted">
          <summary className="text-center">Details</summary>
          <pre className="max-h-64 overflow-auto rounded-control bg-sunken p-2 font-mono text-2xs">
            {details}
          </pre>
        </details>
      )}
      {onRetry && (
        <Button className="mt-2" icon={<RotateCw size={14} strokeWidth={1.75} />} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
