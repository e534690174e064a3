import type { ComponentProps, ReactNode, Ref } from "react";
import { classNames } from "./class-names.ts";

type ButtonKind = "primary" | "plain" | "quiet" | "danger";

const looks: Record<ButtonKind, string> = {
  primary: "border-transparent bg-accent text-accent-text enabled:hover:bg-accent-hover",
  plain: "border-control bg-raised text-text enabled:hover:bg-hover",
  quiet: "border-transparent bg-transparent text-text enabled:hover:bg-hover",
  danger: "border-unhealthy-border bg-raised text-unhealthy-fg enabled:hover:bg-unhealthy-bg",
};

export interface ButtonProps extends ComponentProps<"button"> {
  kind?: ButtonKind;
  /** Shown before the text; decorative. */
  icon?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({
  kind = "plain",
  icon,
  className,
  children,
  type = "button",
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      className={classNames(
        "inline-flex h-7 shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-control border px-2.5 text-sm font-medium select-none disabled:opacity-55 aria-pressed:bg-selected",
        looks[kind],
        className,
      )}
      {...rest}
    >
      {icon}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ComponentProps<"button">, "aria-label" | "children"> {
  /** The accessible name, shown as a tooltip too. */
  label: string;
  icon: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ label, icon, className, type = "button", ...rest }: IconButtonProps) {
  return (
    <button
      type={type}
      aria-label={label}
      data-tooltip={label}
      className={classNames(
        "inline-flex size-7 shrink-0 items-center justify-center rounded-control border border-transparent text-muted enabled:hover:bg-hover enabled:hover:text-text disabled:opacity-55 aria-pressed:bg-selected aria-pressed:text-text",
        className,
      )}
      {...rest}
    >
      {icon}
    </button>
  );
}
