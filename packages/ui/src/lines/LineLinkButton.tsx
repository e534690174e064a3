import { Link } from "lucide-react";
import { IconButton } from "../Button.tsx";
import { copyText } from "../toasts.ts";
import { formatLineRange, type LineRange } from "./line-range.ts";

export interface LineLinkButtonProps {
  selection: LineRange | null;
  linkTo: (selection: LineRange) => string;
}

/** Copies the address of the chosen lines. */
export function LineLinkButton({ selection, linkTo }: LineLinkButtonProps) {
  return (
    <IconButton
      label={
        selection ? `Copy link to ${formatLineRange(selection) ?? ""}` : "Choose lines to link to"
      }
      disabled={!selection}
      icon={<Link size={14} strokeWidth={1.75} />}
      onClick={() => {
        if (selection) void copyText(linkTo(selection));
      }}
    />
  );
}
