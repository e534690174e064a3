import { ntlmNegotiate, ntlmSession, readNtlmChallenge } from "../http/ntlm.ts";
import { octets, tagged } from "../ldap/ber.ts";

/** NTLM in the envelope that servers agree in on a way to sign in (SPNEGO, RFC 4178); no other way is offered. */

const spnego = Buffer.from("06062b0601050502", "hex");
const ntlm = Buffer.from("060a2b06010401823702020a", "hex");

export const firstToken = (): Buffer =>
  tagged(
    0x60,
    spnego,
    tagged(
      0xa0,
      tagged(
        0x30,
        tagged(0xa0, tagged(0x30, ntlm)),
        tagged(0xa2, octets(ntlmNegotiate({ isForKeys: true }))),
      ),
    ),
  );

export interface SmbLogin {
  /** Nobody in particular when empty. */
  username: string;
  password: string;
  domain?: string | undefined;
  workstation?: string | undefined;
}

/** The answer to what the server said, and the key of the session; nothing when it said something else. */
export function secondToken(
  said: Buffer,
  { username, password, domain, workstation }: SmbLogin,
): { token: Buffer; sessionKey?: Buffer } | undefined {
  const at = said.indexOf("NTLMSSP\0", 0, "latin1");
  const server = at === -1 ? undefined : readNtlmChallenge(said.subarray(at));
  if (!server) return undefined;
  const isBare = !/[\\/]/.test(username);
  const name = domain && isBare && username !== "" ? `${domain}\\${username}` : username;
  const { message, sessionKey } = ntlmSession({
    server,
    login: { username: name, password },
    workstation,
  });
  const token = tagged(0xa1, tagged(0x30, tagged(0xa2, octets(message))));
  return { token, ...(sessionKey && { sessionKey }) };
}
