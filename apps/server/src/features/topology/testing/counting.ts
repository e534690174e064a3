import type { Database } from "#platform/db/database.ts";

/** For tests: a database that counts what is asked of it outside of transactions, and those. */
export function counting(db: Database) {
  let count = 0;
  const counted = new Proxy(db, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        count += 1;
        return Reflect.apply(value, target, given) as unknown;
      };
    },
  });
  return { counted, asked: () => count };
}
