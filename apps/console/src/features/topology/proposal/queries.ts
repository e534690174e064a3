import { queryOptions } from "@tanstack/react-query";
import type { ProposalOffers } from "@mainstay/contract/topology-proposal.ts";
import { get } from "#lib/api.ts";

export const proposalQueries = {
  offers: () =>
    queryOptions({
      queryKey: ["topology", "proposal-offers"],
      queryFn: ({ signal }) => get<ProposalOffers>("/api/topology/propose", { signal }),
      // What the catalog holds when the dialog is opened.
      staleTime: 0,
    }),
};
