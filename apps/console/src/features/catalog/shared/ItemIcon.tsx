import { Icon } from "@mainstay/ui/Icon.tsx";

/** The mark of a type of items, or a glyph with the first letter of its last part: `Kubernetes::Pod` is a P. */
export function ItemIcon({ type, size }: { type: string | null | undefined; size?: number }) {
  return <Icon name={type ?? "?"} {...(size !== undefined && { size })} />;
}
