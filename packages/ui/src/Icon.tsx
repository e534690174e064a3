import type { ComponentType } from "react";
import { useState } from "react";
import { firstLetter } from "./first-letter.ts";
import { useMark } from "./icon-marks.ts";

export interface IconMark {
  size?: number;
  strokeWidth?: number;
}

export interface IconProps {
  /** What it stands for: a technology or a type; its first letter is drawn when there is no mark. */
  name: string;
  /** Drawn instead of what the library of marks has. */
  mark?: ComponentType<IconMark> | undefined;
  size?: number;
}

/** The mark of a technology, or a neutral glyph with its first letter. Decorative. */
export function Icon({ name, mark: Mark, size = 16 }: IconProps) {
  const picture = useMark(name, Mark === undefined);
  const [failed, setFailed] = useState<string | null>(null);
  return (
    <span
      aria-hidden="true"
      className="inline-flex shrink-0 items-center justify-center text-muted"
      style={{ width: size, height: size }}
    >
      {Mark ? (
        <Mark size={size} strokeWidth={1.75} />
      ) : picture && picture.address !== failed ? (
        picture.isInked ? (
          <span
            className="size-full bg-current"
            style={{ mask: `url("${picture.address}") center / contain no-repeat` }}
          />
        ) : (
          <img
            src={picture.address}
            alt=""
            width={size}
            height={size}
            className="size-full object-contain"
            onError={() => setFailed(picture.address)}
          />
        )
      ) : (
        <span
          className="flex size-full items-center justify-center rounded-[4px] border border-control leading-none font-semibold uppercase"
          style={{ fontSize: Math.max(9, Math.round(size * 0.55)) }}
        >
          {firstLetter(name) || "?"}
        </span>
      )}
    </span>
  );
}
