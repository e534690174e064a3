import { classNames } from "./class-names.ts";

/** How something is, as colour and shape. Which words mean which state is the caller's to say. */
export type Tone = "healthy" | "warning" | "unhealthy" | "unknown" | "info";

/** Drawn in a square of ten, by the even-odd rule. */
export const toneShapes: Readonly<Record<Tone, { path: string; colour: string }>> = {
  // disc, triangle, square with a bar, ring, diamond: told apart without colour
  healthy: { path: "M5 1a4 4 0 1 0 0 8a4 4 0 0 0 0-8z", colour: "text-healthy" },
  warning: { path: "M5 0.8 9.6 9H0.4z", colour: "text-warning" },
  unhealthy: { path: "M1.2 1.2h7.6v7.6H1.2z", colour: "text-unhealthy" },
  unknown: {
    path: "M5 1a4 4 0 1 0 0 8a4 4 0 0 0 0-8zm0 2a2 2 0 1 1 0 4a2 2 0 0 1 0-4z",
    colour: "text-unknown",
  },
  info: { path: "M5 0.6 9.4 5 5 9.4 0.6 5z", colour: "text-info" },
};

export interface StatusDotProps {
  tone: Tone;
  /** Said and shown on hover. Leave out only where the word stands beside the dot. */
  label?: string;
  /** Drawn hollow: what it says is old. */
  isFaded?: boolean;
  className?: string;
}

export function StatusDot({ tone, label, isFaded = false, className }: StatusDotProps) {
  const { path, colour } = toneShapes[tone];
  return (
    <svg
      viewBox="0 0 10 10"
      width={10}
      height={10}
      fillRule="evenodd"
      {...(label === undefined
        ? { "aria-hidden": true }
        : { role: "img", "aria-label": label, "data-tooltip": label })}
      className={classNames("shrink-0", colour, className)}
    >
      <path
        d={path}
        fill={isFaded ? "none" : "currentColor"}
        stroke={isFaded ? "currentColor" : "none"}
        strokeWidth={1.4}
      />
    </svg>
  );
}
