/**
 * Schemas compile themselves with `new Function` unless told not to, which the content security policy refuses and
 * reports; it must be said before the first of them is made.
 */
export async function forbidEval(): Promise<void> {
  const { config } = await import("zod/v4/core");
  config({ jitless: true });
}
