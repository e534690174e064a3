import { useMutation } from "@tanstack/react-query";
import type { ProposalWish, TopologyProposal } from "@mainstay/contract/topology-proposal.ts";
import type { TopologyTrial, TopologyTrialReply } from "@mainstay/contract/topology-trial.ts";
import { post } from "#lib/api.ts";

/** A proposal, and what it would come to now. */
export interface TriedProposal {
  proposal: TopologyProposal;
  results: readonly TopologyTrial[];
}

/** Longer than the server tries. */
const timeoutMs = 90_000;

/** Has a document written, and looked up once; nothing is stored. */
export const useProposal = () =>
  useMutation({
    mutationFn: async (wish: ProposalWish): Promise<TriedProposal> => {
      const proposal = await post<TopologyProposal>("/api/topology/propose", wish);
      const { results } = await post<TopologyTrialReply>(
        "/api/topology/run/document",
        { document: proposal.document },
        { timeoutMs },
      );
      return { proposal, results: results ?? [] };
    },
    // The dialog says it.
    meta: { speaksForItself: true },
  });
