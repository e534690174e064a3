/** Two transactions that wait for each other's rows: a deadlock, or a change that cannot be put in any order. */
const codes = new Set(["40P01", "40001"]);

/** Whether the database ended a transaction so that another could go on. Nothing of it is left: the same may be tried again. */
export const hasGivenWay = (error: unknown): boolean =>
  error instanceof Error && "code" in error && codes.has(String(error.code));

const mostTurns = 4;

/**
 * Does work of one transaction again when it had to give way. For work that locks rows in an order that its input
 * decides, so that no common order can be kept; it must leave nothing behind but what it writes in its transaction.
 */
export async function givingWay<T>(work: () => Promise<T>): Promise<T> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await work();
    } catch (error) {
      if (turn === mostTurns || !hasGivenWay(error)) throw error;
    }
  }
}
