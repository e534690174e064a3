import { Badge } from "@mainstay/ui/Badge.tsx";

/** Where an item is, as items of many places have one name: its namespace, and all its tags in words. */
export function NamespaceBadge({ tags }: { tags: Readonly<Record<string, string>> | null }) {
  const namespace = tags?.["namespace"];
  if (!namespace) return null;
  const words = Object.entries(tags).map(([name, value]) => `${name}: ${value}`);
  return (
    <Badge tooltip={words.join("\n")} className="min-w-8 shrink!">
      <span className="truncate">{namespace}</span>
    </Badge>
  );
}
