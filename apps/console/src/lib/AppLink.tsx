import { useRouter } from "@tanstack/react-router";
import type { ComponentProps, MouseEvent } from "react";

export interface AppLinkProps extends Omit<ComponentProps<"a">, "href"> {
  /** An address of the console, from `paths`. */
  to: string;
}

/** A link inside the console: moves without loading the page again; modified presses do what the browser does. */
export function AppLink({ to, onClick, children, ...rest }: AppLinkProps) {
  const router = useRouter();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const isModified =
      event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (event.defaultPrevented || isModified || rest.target) return;
    event.preventDefault();
    router.history.push(to);
  };
  return (
    <a href={to} onClick={follow} {...rest}>
      {children}
    </a>
  );
}
