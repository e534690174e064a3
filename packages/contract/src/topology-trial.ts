import type { DocumentNotice } from "./documents/index.ts";

/** What came of a topology that was run once, and not stored. */
export interface TopologyTrial {
  /** `namespace/name`. */
  topology: string;
  /** Nothing failed: what is not among the components would be ended. */
  complete: boolean;
  /** How many components there are; more than are shown, perhaps. */
  count: number;
  /** From the top; the first of them. */
  components: TrialComponent[];
  /** Beside what is stored: by the names on the way to them, apart by ` / `. The first of each. */
  changes: {
    added: TrialList;
    changed: TrialList;
    removed: TrialList;
  };
  /** Checks of components that would be run. */
  checks: number;
  errors: string[];
  warnings: string[];
}

export interface TrialList {
  count: number;
  names: string[];
}

export interface TrialComponent {
  name: string;
  type?: string;
  icon?: string;
  text?: string;
  external_id: string;
  status?: string;
  health?: string;
  labels?: Record<string, string>;
  properties?: { name: string; text?: string; value?: number; unit?: string }[];
  components?: TrialComponent[];
}

export interface TopologyTrialReply {
  results: TopologyTrial[];
  notices: DocumentNotice[];
}
