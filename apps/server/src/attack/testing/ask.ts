import type { TestApp } from "../../testing/app.ts";

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

export interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Asks where the server listens, whatever its public address. Of an answer without end only the beginning is waited for. */
export async function ask(
  { app }: TestApp,
  { method, path, headers, body }: Sent,
): Promise<Answer> {
  const gone = new AbortController();
  const reply = await fetch(app.localAddress + path, {
    method,
    redirect: "manual",
    signal: gone.signal,
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    body,
  });
  const isEndless = reply.headers.get("content-type")?.includes("event-stream") ?? false;
  const text = isEndless ? "" : await reply.text();
  if (isEndless) gone.abort();
  return { status: reply.status, headers: reply.headers, text };
}
