import sql from "sql-template-tag";
import type { Config } from "#platform/config.ts";
import type { Ctx } from "#platform/context.ts";
import { openEncryption } from "#platform/encryption.ts";

/** Says at the start that this server cannot read what others have encrypted, instead of when somebody signs in. */
export async function rememberKey(ctx: Ctx, config: Config): Promise<void> {
  const { keyId, knownKeys } = openEncryption(config);
  await ctx.db.run(sql`
    insert into encryption_keys (id, first_used_at) values (${keyId}, ${ctx.clock.now()})
    on conflict (id) do nothing`);
  const others = await ctx.db.rows<{ id: string }>(
    sql`select id from encryption_keys where id <> all(${knownKeys})`,
  );
  if (others.length > 0)
    ctx.log.warn(
      { key: keyId, others: others.map(({ id }) => id) },
      "stored secrets were encrypted with other keys; give every server the same MAINSTAY_ENCRYPTION_KEY",
    );
}
