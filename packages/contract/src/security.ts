/** One thing that weakens a server, as the feature that knows about it says it. Plain texts, for pages and programs. */
export interface SecurityFact {
  /** Stays the same whatever the texts say: `http.plain`. */
  id: string;
  /** What is so, in a few words: `Passwords travel readable`. */
  title: string;
  /** How it stands on this server now, with numbers and names. */
  state: string;
  /** What it costs: who could do what because of it. */
  cost: string;
  /** What to do about it. */
  remedy: string;
  /** The setting behind it, as it is called in the environment. */
  setting?: string;
  /** `serious`: somebody who should not could own the server or read what is on it. `notable`: one line of defence is less. */
  weight: "serious" | "notable";
}

/** Answer of `GET /api/security`: serious ones first. */
export interface SecurityReply {
  facts: SecurityFact[];
}
