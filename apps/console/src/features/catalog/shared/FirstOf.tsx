import { Badge } from "@mainstay/ui/Badge.tsx";

/** The first of a few texts, and how many others there are: which, for who has a pointer or hears them read. */
export function FirstOf({ texts }: { texts: readonly string[] }) {
  const [first, ...others] = texts;
  return (
    <span className="flex min-w-0 items-center gap-1" data-tooltip={texts.join("\n")}>
      {first !== undefined && (
        <Badge className="min-w-0 shrink!">
          <span className="truncate">{first}</span>
        </Badge>
      )}
      {others.length > 0 && (
        <span className="shrink-0 text-xs text-muted">
          <span aria-hidden="true">+{others.length}</span>
          <span className="sr-only">{others.join(", ")}</span>
        </span>
      )}
    </span>
  );
}
