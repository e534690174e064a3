/** What a topology can be made of that is proposed from the catalog, and the proposal. */

export const proposalWays = ["tag", "label", "ownership"] as const;
/** By the values of a tag or a label, or by which item belongs to which. */
export type ProposalWay = (typeof proposalWays)[number];

/** A tag or label, how many values it has, and how many items have it. */
export interface OfferedKey {
  key: string;
  values: number;
  items: number;
}

export interface ProposalOffers {
  tags: OfferedKey[];
  labels: OfferedKey[];
  types: { type: string; items: number }[];
  /** Tags and labels that no selector can name. */
  unnamed: number;
}

export interface ProposalWish {
  by: ProposalWay;
  /** The tag or label. */
  key?: string;
  /** Of these types only; of all when it is empty. */
  types?: string[];
}

export interface TopologyProposal {
  /** The text of the document. */
  document: string;
  /** What it is called: like no other topology. */
  name: string;
  covers: {
    /** Values of the tag or label. */
    groups: number;
    /** Items that become components. */
    items: number;
    /** Items of these types that do not. */
    leftOut: number;
  };
  /** What is to be known of it, in a sentence each. */
  notices: string[];
}

/** What a selector can name, and a document can say without anything of it being read as a template. */
export const nameableKey = /^[A-Za-z0-9][\w./:@-]{0,252}$/;
export const nameableType = /^[A-Za-z0-9][\w./:@ -]{0,252}$/;
