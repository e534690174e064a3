import { classNames } from "@mainstay/ui/class-names.ts";
import { AppLink } from "#lib/AppLink.tsx";
import { paths } from "#lib/paths.ts";
import { ItemIcon } from "./ItemIcon.tsx";

export interface NamedItem {
  id: string;
  name: string | null;
  type: string | null;
  deleted_at?: string | null;
}

/** What an item is called; the end of its id where nobody has named it. */
export const itemName = ({ name, id }: Pick<NamedItem, "id" | "name">): string =>
  name || id.slice(-12);

/** An item, wherever another page names it: its mark, its name, and the way to it. */
export function ItemLink({ item, className }: { item: NamedItem; className?: string }) {
  const name = itemName(item);
  return (
    <AppLink
      to={paths.catalogItem(item.id)}
      className={classNames(
        "inline-flex max-w-full min-w-0 items-center gap-1.5 align-bottom hover:text-accent hover:underline",
        className,
      )}
      data-tooltip={[item.type, name].filter(Boolean).join("\n")}
    >
      <ItemIcon type={item.type} size={14} />
      <bdi className={classNames("truncate", item.deleted_at && "line-through")}>{name}</bdi>
    </AppLink>
  );
}
