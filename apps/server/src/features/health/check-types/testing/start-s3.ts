import { createServer, request as requestHttp } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { freePort, removeFolder, temporaryFolder } from "@mainstay/testkit/servers/index.ts";
import { RequestSigner } from "aws4";
import { type AwsAsked, refuse, serveAws } from "#platform/outbound/aws/testing/aws-server.ts";

export interface S3Server {
  endpoint: string;
  /** Its one user. */
  accessKey: string;
  secretKey: string;
  /** What was asked of the service that lends roles. */
  readonly askedRoles: readonly AwsAsked[];
  stop(): Promise<void>;
}

type S3rver = new (options: object) => { run(): Promise<unknown>; close(): Promise<void> };

const accessKey = "S3RVER";
const secretKey = "S3RVER";
const region = "eu-central-1";

interface Keys {
  accessKey: string;
  secretKey: string;
  sessionToken?: string;
}

/** A role that the user may take on: it alone is let into the buckets then. */
export interface LentRole {
  arn: string;
  keys: Required<Keys>;
  /** So many requests for it are answered with a throttling first. */
  throttled?: number;
}

/** As Amazon answers somebody who takes on a role. */
export const assumedRole = ({ accessKey, secretKey, sessionToken }: Required<Keys>): string =>
  `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult>
    <AssumedRoleUser><Arn>arn:aws:sts::1:assumed-role/audit/x</Arn><AssumedRoleId>A:x</AssumedRoleId></AssumedRoleUser>
    <Credentials><AccessKeyId>${accessKey}</AccessKeyId><SecretAccessKey>${secretKey}</SecretAccessKey>
    <SessionToken>${sessionToken}</SessionToken><Expiration>2030-01-01T00:00:00Z</Expiration></Credentials>
    </AssumeRoleResult></AssumeRoleResponse>`;

const lendsNothing = refuse(
  "AccessDenied",
  "User is not authorized to perform: sts:AssumeRole",
  403,
);

/** A stand-in for the service that lends roles, as `platform/outbound/aws/testing` speaks. */
const startSts = (role: LentRole | undefined) =>
  serveAws({
    keys: [{ accessKey, secretKey }],
    ...(role?.throttled !== undefined && { throttled: role.throttled }),
    answer: ({ parameters }) =>
      role && parameters.RoleArn === role.arn ? assumedRole(role.keys) : lendsNothing,
  });

/**
 * A server that speaks S3 (s3rver). It takes any signature of its user's, so that signatures are judged before it, by
 * somebody else's implementation of them (aws4).
 */
export async function startS3(
  buckets: readonly string[],
  { role }: { role?: LentRole } = {},
): Promise<S3Server> {
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
  const sts = await startSts(role);
  const users: readonly Keys[] = role ? [role.keys] : [{ accessKey, secretKey }];
  const gate = createServer((incoming, answer) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      const given = incoming.headers.authorization ?? "";
      const { method, url } = incoming;
      const isForSts = given.includes("/sts/aws4_request");
      const user = users.find((one) => given.includes(`Credential=${one.accessKey}/`));
      const isOther =
        user !== undefined &&
        (incoming.headers["x-amz-security-token"] !== user.sessionToken ||
          !isSigned(incoming, body, given, user));
      if (!isForSts && (isOther || (role && !user))) {
        const code = user ? "SignatureDoesNotMatch" : "AccessDenied";
        answer.writeHead(403).end(`<Error><Code>${code}</Code></Error>`);
        return;
      }
      // The server behind knows its one user alone.
      const headers = {
        ...incoming.headers,
        ...(user && { authorization: given.replace(user.accessKey, accessKey) }),
      };
      const passed = requestHttp({
        host: "127.0.0.1",
        port: isForSts ? sts.port : port,
        method,
        path: url,
        headers: isForSts ? incoming.headers : headers,
      });
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
    askedRoles: sts.asked,
    async stop() {
      gate.closeAllConnections();
      gate.close();
      await sts.close();
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
  user: Keys,
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
    { accessKeyId: user.accessKey, secretAccessKey: user.secretKey },
  ) as unknown as { datetime: string; sign(): { headers: Record<string, string> } };
  signer.datetime = String(headers["x-amz-date"]);
  const expected = signer.sign();
  const signatureOf = (text: string) => /Signature=(\w+)/.exec(text)?.[1];
  return signatureOf(String(expected.headers.Authorization)) === signatureOf(given);
}
