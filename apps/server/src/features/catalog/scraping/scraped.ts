import type {
  AnalysisType,
  ChangeSeverity,
  DeleteReason,
  Health,
  InsightSeverity,
  InsightStatus,
} from "@mainstay/contract";
import type { Json } from "../changes/json-patch.ts";

/*
 * Words: a *scraper* reads a system and *finds* things; what it finds becomes *items* (by extraction and transforms),
 * *changes* and *insights*. They name one another by the ids that they have where they come from, their *external ids*.
 */

/** Texts and numbers about an item, for its page. Source: data model, section 4. */
export interface Property {
  name?: string;
  label?: string;
  type?: string;
  text?: string;
  value?: number;
  unit?: string;
  min?: number;
  max?: number;
  icon?: string;
  color?: string;
  order?: number;
  headline?: boolean;
  hidden?: boolean;
  tooltip?: string;
  status?: string;
  lastTransition?: string;
  links?: {
    type?: string;
    url?: string;
    text?: string;
    label?: string;
    tooltip?: string;
    icon?: string;
  }[];
}

/** Another item, as the system that is scraped names it. */
export interface ItemReference {
  externalId: string;
  /** Of any type when absent. */
  type?: string;
}

/** Other items by what they are; every field that is there holds, and at least one is. */
export interface ItemSelector {
  id?: string;
  externalId?: string;
  name?: string;
  namespace?: string;
  type?: string;
  agent?: string;
  /** The id of a scraper, or `all`; the item's own scraper when absent. */
  scope?: string;
  labels?: Readonly<Record<string, string>>;
}

export interface Relation {
  to: ItemReference | ItemSelector;
  /** What its scraper calls it, such as `ServicePod`. */
  relation: string;
  /** The other one is where it starts. */
  isIncoming?: boolean;
  /** The other one is the parent. */
  isParent?: boolean;
}

export const isReference = (to: ItemReference | ItemSelector): to is ItemReference =>
  Object.keys(to).every((key) => key === "externalId" || key === "type") &&
  to.externalId !== undefined;

export interface ScrapedItem {
  /** Its id where it comes from. */
  externalId: string;
  aliases: readonly string[];
  /** Its id in this catalog, when the source says so. */
  configId?: string;
  type: string;
  configClass: string;
  name: string;
  config: Json;
  status?: string;
  health?: Health;
  /** It has settled, for better or worse. */
  ready?: boolean;
  description?: string;
  icon?: string;
  /** Where it was read. */
  source?: string;
  labels: Readonly<Record<string, string>>;
  tags: Readonly<Record<string, string>>;
  properties: readonly Property[];
  createdAt?: Date;
  deletedAt?: Date;
  deleteReason?: DeleteReason;
  /** Candidates, in the order in which they count: the first that is there is the parent. */
  parents: readonly ItemReference[];
  relations: readonly Relation[];
  /** In the source's currency; what is not in it has cost nothing. What was known of it stays when it is absent. */
  costs?: { perMinute?: number; day?: number; week?: number; month?: number };
}

export interface ScrapedChange {
  /** The item that it is about. */
  item: ItemReference;
  externalChangeId?: string;
  changeType: string;
  severity?: ChangeSeverity;
  source?: string;
  summary?: string;
  patches?: Json;
  diff?: string;
  details?: Json;
  createdAt?: Date;
  /** An address of somebody here, or any name. */
  createdBy?: string;
  /** `delete`: the item is gone; `ignore`: it is not stored; `keep`: the item stays, however the change is called. */
  action?: "delete" | "ignore" | "keep";
  /** It goes to others than the item that it is about: an ancestor (of a type), or whatever is selected. */
  goesTo?: { ancestor: string | undefined } | { selector: ItemSelector };
  /** It stays where it is as well. */
  isCopied?: boolean;
  /** How often, as the source counts; 1 unless said. */
  count?: number;
}

export interface ScrapedInsight {
  item: ItemReference;
  /** Where nothing has that id: the one item that this selects. */
  orSelected?: ItemSelector;
  externalAnalysisId?: string;
  analyzer: string;
  analysisType: AnalysisType;
  severity: InsightSeverity;
  status: InsightStatus;
  source?: string;
  summary?: string;
  message?: string;
  analysis?: Json;
  properties?: readonly Property[];
  firstObserved?: Date;
  lastObserved?: Date;
}

/** What a scraper has read, before it is an item: extraction says what of it is what. */
export interface ReadContent {
  /** A text is parsed by the format of the scraper; anything else is what it is. */
  content: Json;
  /** Where it was read: a path, an address. */
  source?: string;
  icon?: string;
  /** How a text is to be read, where the scraper does not say. */
  format?: string;
  /** What holds where the scraper says nothing. */
  defaults?: { id?: string; name?: string; type?: string; class?: string };
  createdAt?: Date;
}

/** Items of one type: all of them, or those that have the tags and labels, which their scraper gives to every one. */
export interface ItemGroup {
  type: string;
  tags?: Readonly<Record<string, string>>;
  labels?: Readonly<Record<string, string>>;
}

/** What there may be besides what was told: what is known of it stays as it is. */
export interface Untold {
  /** Items; of any type when absent. */
  unseen?: readonly ItemGroup[];
  /** Insights, by their sources; of any source when absent. */
  unjudged?: readonly string[];
}

/** What a scraper finds, one thing at a time. */
export type Found =
  | { kind: "content"; read: ReadContent }
  | { kind: "item"; item: ScrapedItem }
  | { kind: "change"; change: ScrapedChange }
  | { kind: "insight"; insight: ScrapedInsight }
  /** An item that was there is not there any more, as its system says. */
  | { kind: "gone"; item: ItemReference; at: Date }
  /** Where reading can go on from when all that was told before it is stored. */
  | { kind: "position"; position: Json }
  /** So many things were looked at for insights: of what was looked at and not told, nothing is wrong any more. */
  | { kind: "judged"; count: number }
  /** Something that could not be read; the rest can. */
  | ({ kind: "failure"; message: string; type?: string } & Untold)
  /** Something that people should know and that is as it should be; with `untold` nevertheless not all was told. */
  | { kind: "notice"; message: string; type?: string; untold?: Untold };
