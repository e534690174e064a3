import { CSPProvider } from "@base-ui/react/csp-provider";
import type { ReactNode } from "react";

/** Keeps components below it from writing style elements, which the content security policy would refuse. */
export function NoInlineStyles({ children }: { children: ReactNode }) {
  return <CSPProvider disableStyleElements>{children}</CSPProvider>;
}
