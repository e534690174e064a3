import { Icon } from "@mainstay/ui/Icon.tsx";
import { AppLink } from "../AppLink.tsx";
import { useAccess } from "../use-access.ts";
import { useResourceKind } from "./use-resource-kind.ts";

export interface ResourceLinkProps {
  kind: string | null | undefined;
  id: string | null | undefined;
  name: string;
  /** It has a name, and no page any more. */
  isGone?: boolean;
}

/** The name of a resource, with the mark of its kind; a link for who may see it, where there is something to see. */
export function ResourceLink({ kind, id, name, isGone = false }: ResourceLinkProps) {
  const access = useAccess();
  const known = useResourceKind(kind);
  const content = (
    <>
      {known && <Icon name={known.label.one} mark={known.icon} size={14} />}
      <bdi className="truncate">{name}</bdi>
    </>
  );
  const look = "inline-flex max-w-full min-w-0 items-center gap-1.5 align-bottom";
  const tooltip = known ? `${known.label.one} ${name}` : name;
  if (!known?.to || !id || isGone || access.gate(known) !== "open")
    return (
      <span className={look} data-tooltip={tooltip}>
        {content}
      </span>
    );
  return (
    <AppLink
      to={known.to(id, new URL(window.location.href))}
      className={`${look} hover:text-accent hover:underline`}
      data-tooltip={tooltip}
    >
      {content}
    </AppLink>
  );
}
