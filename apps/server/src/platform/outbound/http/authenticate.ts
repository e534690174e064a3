import { authorization, type HttpAuth, type NtlmAuth, type OAuth2Auth } from "./authorization.ts";
import { readChallenges } from "./challenges.ts";
import { answerDigest, isStale } from "./digest.ts";
import { ntlmAuthenticate, ntlmNegotiate, readNtlmChallenge } from "./ntlm.ts";
import { awsHeaders, canonicalQuery } from "./sign-aws.ts";

/** What is known of an answer while it is found out who asks. */
interface Answered {
  code: number;
  /** The values of `WWW-Authenticate`. */
  challenges: readonly string[];
}

/** One request that may be sent several times until the other side knows who asks. */
export interface Asked<Answer extends Answered> {
  method: string;
  url: URL;
  /** In lower case. */
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Sends it with these headers, and with another spelling of its query. */
  send(headers: Record<string, string>, query?: string): Promise<Answer>;
  /** Connections that it took so far. */
  connections(): number;
  /** The token of a client, and another one when that is refused. */
  token(auth: OAuth2Auth, refused?: string): Promise<string>;
}

/** Sends a request as somebody. An answer that still refuses is an answer. */
export async function askAs<Answer extends Answered>(
  auth: HttpAuth | undefined,
  asked: Asked<Answer>,
): Promise<Answer> {
  switch (auth?.kind) {
    case undefined:
      return asked.send({});
    case "basic":
    case "bearer":
      return asked.send({ authorization: authorization(auth) });
    case "digest":
      return askDigest(auth, asked);
    case "ntlm":
      return askNtlm(auth, asked);
    case "oauth2":
      return askWithToken(auth, asked);
    case "awsSigV4": {
      const query = canonicalQuery(asked.url);
      return asked.send(awsHeaders({ ...asked, ...auth, now: new Date() }), query);
    }
  }
}

async function askDigest<Answer extends Answered>(
  { username, password }: { username: string; password: string },
  asked: Asked<Answer>,
): Promise<Answer> {
  const uri = `${asked.url.pathname}${asked.url.search}`;
  let answer = await asked.send({});
  for (let left = 2; left > 0 && answer.code === 401; left -= 1) {
    const challenges = readChallenges(answer.challenges);
    // A second refusal counts, unless it is only of a nonce that has become old.
    if (left === 1 && !isStale(challenges)) break;
    const input = { username, password, method: asked.method, uri };
    const response = answerDigest(challenges, input);
    if (response === undefined) break;
    answer = await asked.send({ authorization: response });
  }
  return answer;
}

async function askNtlm<Answer extends Answered>(
  { username, password, isV2Only }: NtlmAuth,
  asked: Asked<Answer>,
): Promise<Answer> {
  const first = await asked.send({ authorization: `NTLM ${ntlmNegotiate().toString("base64")}` });
  const offered = readChallenges(first.challenges).find(({ scheme }) => scheme === "ntlm");
  if (first.code !== 401 || offered?.token === undefined) return first;
  const server = readNtlmChallenge(Buffer.from(offered.token, "base64"));
  if (!server) throw new Error("the challenge of NTLM that came cannot be read");
  const before = asked.connections();
  const message = ntlmAuthenticate({ server, login: { username, password }, isV2Only });
  const answer = await asked.send({ authorization: `NTLM ${message.toString("base64")}` });
  if (answer.code === 401 && asked.connections() !== before) {
    throw new Error(
      "the connection was closed in the middle of NTLM, which needs one from the first message to the last; a proxy in between may be the reason",
    );
  }
  return answer;
}

async function askWithToken<Answer extends Answered>(
  auth: OAuth2Auth,
  asked: Asked<Answer>,
): Promise<Answer> {
  const token = await asked.token(auth);
  const answer = await asked.send({ authorization: authorization({ kind: "bearer", token }) });
  if (answer.code !== 401) return answer;
  // One that was kept may have been taken back before its time.
  const next = await asked.token(auth, token);
  if (next === token) return answer;
  return asked.send({ authorization: authorization({ kind: "bearer", token: next }) });
}
