import { useMutation } from "@tanstack/react-query";
import { post } from "#lib/api.ts";

/** Has a topology looked up as soon as a worker is free. */
export const useRunTopology = (id: string) =>
  useMutation({ mutationFn: () => post(`/api/topology/${encodeURIComponent(id)}/run`, {}) });
