import { queryOptions } from "@tanstack/react-query";
import { get } from "./api.ts";

/** What the server says about itself. */
export interface About {
  Version?: string;
  Timestamp?: string;
  /** Only the health page exists, and nobody signs in. */
  checkerOnly?: boolean;
  readOnly?: boolean;
}

export const aboutQuery = queryOptions({
  queryKey: ["about"],
  queryFn: ({ signal }) => get<About>("/api/canary/about", { signal, onSignedOut: "reject" }),
  staleTime: 5 * 60_000,
  retry: false,
});
