/**
 * What a scrape did, by the type of the items: `details.scrape_summary` of the job history. Source: data model,
 * section 8.
 */
export interface TypeSummary {
  added: number;
  updated: number;
  unchanged: number;
  deleted?: number;
  change?: {
    /** About items that are not there, by type of the change. */
    orphaned?: Record<string, number>;
    ignored?: Record<string, number>;
  };
  warnings?: string[];
}

const mostWarnings = 20;
/** Of things that are of no type. */
const general = "*";

export class ScrapeSummary {
  readonly types = new Map<string, TypeSummary>();
  readonly #left = new Map<string, number>();
  /** What was lost: with one of them not all that there is was seen. */
  readonly errors: string[] = [];
  errorCount = 0;

  of(type: string): TypeSummary {
    let summary = this.types.get(type);
    if (!summary) this.types.set(type, (summary = { added: 0, updated: 0, unchanged: 0 }));
    return summary;
  }

  /** Each once, and so many of a type. */
  warn(message: string, type = general): void {
    const summary = this.of(type);
    summary.warnings ??= [];
    if (summary.warnings.includes(message)) return;
    if (summary.warnings.length < mostWarnings) summary.warnings.push(message);
    else this.#left.set(type, (this.#left.get(type) ?? 0) + 1);
  }

  fail(message: string): void {
    this.errorCount += 1;
    if (this.errors.length < 100) this.errors.push(message);
  }

  countChange(type: string, what: "orphaned" | "ignored", changeType: string, count: number): void {
    const change = (this.of(type).change ??= {});
    const counts = (change[what] ??= {});
    counts[changeType] = (counts[changeType] ?? 0) + count;
  }

  /** Items that were seen. */
  get seen(): number {
    let total = 0;
    for (const { added, updated, unchanged } of this.types.values())
      total += added + updated + unchanged;
    return total;
  }

  toJSON(): Record<string, TypeSummary> {
    return Object.fromEntries(
      [...this.types].map(([type, summary]) => {
        const left = this.#left.get(type);
        return [
          type,
          left
            ? { ...summary, warnings: [...(summary.warnings ?? []), `and ${left} more`] }
            : summary,
        ];
      }),
    );
  }
}
