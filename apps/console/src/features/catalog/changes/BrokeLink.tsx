import { useQuery } from "@tanstack/react-query";
import { BeforeLink } from "./BeforeLink.tsx";
import { oneChange } from "./dialog/queries.ts";

export interface BrokeLinkProps {
  item: {
    id: string;
    health: string | null;
    created_at: string | null;
    updated_at: string | null;
    deleted_at: string | null;
  };
}

/** Of an item that is not well: the way to what changed before it broke. Of any other nothing. */
export function BrokeLink({ item }: BrokeLinkProps) {
  const isBroken =
    item.deleted_at === null && (item.health === "unhealthy" || item.health === "warning");
  const broke = useQuery({ ...oneChange.brokeAt(item.id), enabled: isBroken });
  if (!isBroken || broke.data === undefined) return null;
  // What was never seen well has broken with what it is.
  const at = broke.data?.created_at ?? item.updated_at ?? item.created_at;
  return at === null ? null : (
    <BeforeLink itemId={item.id} at={at}>
      What changed before this broke
    </BeforeLink>
  );
}
