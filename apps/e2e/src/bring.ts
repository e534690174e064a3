import { setTimeout as pause } from "node:timers/promises";
import type { APIRequestContext } from "playwright-core";

/** Many times what a busy machine takes: what has not come by then does not come. */
const longestMs = 30_000;
const betweenMs = 100;

/** Has the server keep a document. @returns its id */
export async function applyDocument(request: APIRequestContext, text: string): Promise<string> {
  const reply = await request.post("/api/documents", {
    data: text,
    headers: { "content-type": "application/yaml" },
  });
  if (!reply.ok())
    throw new Error(`The document was refused: ${reply.status()} ${await reply.text()}`);
  const { documents } = (await reply.json()) as { documents: [{ id: string }] };
  return documents[0].id;
}

/** Waits for the first row that a question of the data API finds, which a job of the server is to bring. @returns its id */
export async function rowThatComes(request: APIRequestContext, question: string): Promise<string> {
  const path = `/api/db/${question}`;
  const end = Date.now() + longestMs;
  for (let told = ""; ; await pause(betweenMs)) {
    if (Date.now() > end)
      throw new Error(`Nothing came within ${longestMs / 1_000} s: GET ${path}: ${told}`);
    const reply = await request.get(path);
    told = `${reply.status()} ${await reply.text()}`;
    // Asked wrongly, it would find nothing however long it is asked.
    if (reply.status() >= 400 && reply.status() < 500) throw new Error(`GET ${path}: ${told}`);
    const [row] = reply.ok() ? ((await reply.json()) as { id: string }[]) : [];
    if (row) return row.id;
  }
}
