import { useState } from "react";
import { initials } from "./first-letter.ts";

export interface AvatarProps {
  name: string;
  src?: string | null | undefined;
  size?: number;
}

/** A person: their picture, else the first letters of their name. Decorative; the name stands beside it. */
export function Avatar({ name, src, size = 24 }: AvatarProps) {
  const [failed, setFailed] = useState<string | null>(null);
  return (
    <span
      aria-hidden="true"
      className="inline-flex shrink-0 items-center justify-center overflow-hidden rounded-full border bg-sunken text-2xs font-medium text-muted"
      style={{ width: size, height: size }}
    >
      {src && src !== failed ? (
        <img
          src={src}
          alt=""
          width={size}
          height={size}
          className="size-full object-cover"
          onError={() => setFailed(src)}
        />
      ) : (
        initials(name) || "?"
      )}
    </span>
  );
}
