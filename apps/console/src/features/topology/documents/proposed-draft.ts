/** The draft in which a proposal is kept until it is saved or given up. */
export const proposedDraft = "proposed-topology";
