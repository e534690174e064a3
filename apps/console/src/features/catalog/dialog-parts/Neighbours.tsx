import { IconButton } from "@mainstay/ui/Button.tsx";
import { ChevronDown, ChevronUp } from "lucide-react";
import { usePageKey } from "#lib/use-page-key.ts";

const number = new Intl.NumberFormat();

export interface NeighboursProps {
  /** What is shown, and the list that it stands in. */
  id: string;
  inOrder: readonly string[];
  onShow: (id: string) => void;
}

/** In the dialog of one row: the way to those before and after it, also with j and k. */
export function Neighbours({ id, inOrder, onShow }: NeighboursProps) {
  const at = inOrder.indexOf(id);
  const [previous, next] = at < 0 ? [] : [inOrder[at - 1], inOrder[at + 1]];
  const show = (other: string | undefined) => other !== undefined && onShow(other);
  usePageKey("k", () => show(previous));
  usePageKey("j", () => show(next));
  if (at < 0) return null;
  return (
    <span className="flex items-center gap-0.5">
      <span className="px-1 text-xs text-muted tabular-nums max-phone:hidden">
        {number.format(at + 1)} of {number.format(inOrder.length)}
      </span>
      <IconButton
        label="Previous in the list (k)"
        disabled={previous === undefined}
        icon={<ChevronUp size={16} strokeWidth={1.75} />}
        onClick={() => show(previous)}
      />
      <IconButton
        label="Next in the list (j)"
        disabled={next === undefined}
        icon={<ChevronDown size={16} strokeWidth={1.75} />}
        onClick={() => show(next)}
      />
    </span>
  );
}
