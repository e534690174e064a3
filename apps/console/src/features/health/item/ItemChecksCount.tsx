import { Badge } from "@mainstay/ui/Badge.tsx";

const number = new Intl.NumberFormat();

/** How many checks an item of the catalog has. */
export const ItemChecksCount = ({ item }: { item: { summary: { checks: number } } }) => (
  <Badge>{number.format(item.summary.checks)}</Badge>
);
