const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

/** Asks a server that was named in the settings: not longer than ten seconds, not more than a megabyte, not elsewhere. */
export async function fetchLimited(
  address: string | URL,
  init: RequestInit = {},
): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const reply = await fetch(address, {
    ...init,
    redirect: "manual",
    signal: init.signal ? AbortSignal.any([init.signal, timeout]) : timeout,
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES)
      throw new Error(`${new URL(address).origin} sent more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { status, statusText, headers } = reply;
  const body = status === 204 || status === 304 ? null : Buffer.concat(chunks);
  return new Response(body, { status, statusText, headers });
}
