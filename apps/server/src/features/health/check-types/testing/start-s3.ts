import { createServer, request as requestHttp } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { freePort, removeFolder, temporaryFolder } from "@mainstay/testkit/servers/index.ts";
import { RequestSigner } from "aws4";

export interface S3Server {
  endpoint: string;
  /** Its one user. */
  accessKey: string;
  secretKey: string;
  stop(): Promise<void>;
}

type S3rver = new (options: object) => { run(): Promise<unknown>; close(): Promise<void> };

const accessKey = "S3RVER";
const secretKey = "S3RVER";
const region = "eu-central-1";

/**
 * A server that speaks S3 (s3rver). It takes any signature of its user's, so that signatures are judged before it, by
 * somebody else's implementation of them (aws4).
 */
export async function startS3(buckets: readonly string[]): Promise<S3Server> {
  // It comes without types.
  const name: string = "s3rver";
  const { default: Server } = (await import(name)) as { default: S3rver };
  const directory = temporaryFolder("s3");
  const port = await freePort();
  const server = new Server({
    address: "127.0.0.1",
    port,
    silent: true,
    directory,
    configureBuckets: buckets.map((bucket) => ({ name: bucket })),
  });
  await server.run();
  const gate = createServer((incoming, answer) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      const given = incoming.headers.authorization ?? "";
      if (given.includes(`Credential=${accessKey}/`) && !isSigned(incoming, body, given)) {
        answer.writeHead(403).end("<Error><Code>SignatureDoesNotMatch</Code></Error>");
        return;
      }
      const { method, url, headers } = incoming;
      const passed = requestHttp({ host: "127.0.0.1", port, method, path: url, headers });
      passed.on("response", (response) => {
        answer.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(answer);
      });
      passed.on("error", () => answer.destroy());
      passed.end(body);
    });
  });
  gate.listen(0, "127.0.0.1");
  await once(gate, "listening");
  return {
    endpoint: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`,
    accessKey,
    secretKey,
    async stop() {
      gate.closeAllConnections();
      gate.close();
      await server.close();
      removeFolder(directory);
    },
  };
}

function isSigned(
  {
    method,
    url,
    headers,
  }: { method?: string; url?: string; headers: NodeJS.Dict<string | string[]> },
  body: Buffer,
  given: string,
): boolean {
  const names = /SignedHeaders=([^,]+)/.exec(given)?.[1]?.split(";") ?? [];
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  const signer = new RequestSigner(
    {
      host: String(headers.host),
      ...(method && { method }),
      ...(url && { path: url }),
      headers: signed,
      body,
      service: "s3",
      region,
      doNotModifyHeaders: true,
    },
    { accessKeyId: accessKey, secretAccessKey: secretKey },
  ) as unknown as { datetime: string; sign(): { headers: Record<string, string> } };
  signer.datetime = String(headers["x-amz-date"]);
  const expected = signer.sign();
  const signatureOf = (text: string) => /Signature=(\w+)/.exec(text)?.[1];
  return signatureOf(String(expected.headers.Authorization)) === signatureOf(given);
}
