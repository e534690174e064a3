import type { ComponentType } from "react";

export interface IconMark {
  size?: number;
  strokeWidth?: number;
}

export interface IconProps {
  /** What it stands for; its first letter is drawn when there is no mark. */
  name: string;
  mark?: ComponentType<IconMark> | undefined;
  size?: number;
}

/** The mark of a technology, or a neutral glyph with its first letter. Decorative. */
export function Icon({ name, mark: Mark, size = 16 }: IconProps) {
  return (
    <span
      aria-hidden="true"
      className="inline-flex shrink-0 items-center justify-center text-muted"
      style={{ width: size, height: size }}
    >
      {Mark ? (
        <Mark size={size} strokeWidth={1.75} />
      ) : (
        <span className="flex size-full items-center justify-center rounded-[4px] border border-control text-[9px] font-semibold uppercase">
          {name.charAt(0) || "?"}
        </span>
      )}
    </span>
  );
}
