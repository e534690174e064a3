import type { ReactNode } from "react";

export interface EmptyStateProps {
  title: string;
  /** What would appear here and how to make it appear. */
  children?: ReactNode;
  actions?: ReactNode;
  icon?: ReactNode;
}

export function EmptyState({ title, children, actions, icon }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-14 text-center">
      {icon !== undefined && <span className="text-muted">{icon}</span>}
      <p className="m-0 text-md font-medium">{title}</p>
      {children !== undefined && <div className="max-w-md text-sm text-muted">{children}</div>}
      {actions !== undefined && (
        <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>
      )}
    </div>
  );
}
