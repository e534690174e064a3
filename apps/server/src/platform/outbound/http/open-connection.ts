import { roleCredentials } from "../aws/aws-client.ts";
import type { ExchangeOptions } from "./exchange.ts";
import { type ConnectionFields, type ReadConnection, readConnection } from "./read-request.ts";

/** As `readConnection`; a role of Amazon's is taken on before anything is signed. @throws WrongConnection, AwsRefusal */
export async function openConnection(
  fields: ConnectionFields,
  options: ExchangeOptions,
): Promise<ReadConnection> {
  const { assumeRole, ...signing } = fields.awsSigV4 ?? {};
  if (!assumeRole) return readConnection(fields);
  const connection = readConnection({ ...fields, awsSigV4: signing });
  const { auth } = connection;
  if (auth?.kind !== "awsSigV4") return connection;
  const { endpoint, skipTLSVerify } = signing;
  const credentials = await roleCredentials(
    {
      credentials: auth.credentials,
      region: auth.region,
      assumeRole,
      ...(endpoint && { endpoint }),
      ...(skipTLSVerify && { skipTLSVerify }),
    },
    options,
  );
  const { secretKey, sessionToken } = credentials;
  return {
    ...connection,
    auth: { ...auth, credentials },
    lent: [secretKey, ...(sessionToken ? [sessionToken] : [])],
  };
}
