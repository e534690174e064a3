import { History } from "lucide-react";
import type { ReactNode } from "react";
import { AppLink } from "#lib/AppLink.tsx";
import { changesBefore } from "./before.ts";

export interface BeforeLinkProps {
  itemId: string;
  /** When it broke, or whatever happened. */
  at: string;
  children?: ReactNode;
}

/** To what changed upstream in the hour before. */
export function BeforeLink({ itemId, at, children = "What changed before this" }: BeforeLinkProps) {
  return (
    <AppLink
      to={changesBefore(itemId, at)}
      className="inline-flex items-center gap-1.5 text-sm text-accent hover:underline"
      data-tooltip="Changes of this item, and of what it hangs on, in the hour before"
    >
      <History aria-hidden="true" size={14} strokeWidth={1.75} />
      {children}
    </AppLink>
  );
}
