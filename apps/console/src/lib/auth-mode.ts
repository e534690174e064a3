import { ApiError } from "./api-error.ts";
import { get } from "./api.ts";

export interface HostedMode {
  mode: "hosted";
  /** The provider that people sign in with. */
  issuer: string;
  client_id: string;
  /** The organization whose people this server is for. */
  organization: string;
  /** The provider's page where another one is created. */
  new_organization?: string;
}

/** Who signs people in: the server or what stands behind it, or a provider that knows organizations. */
export async function readAuthMode(): Promise<HostedMode | { mode: "own" }> {
  try {
    return await get("/api/auth/mode", { onSignedOut: "reject" });
  } catch (error) {
    // A server that does not know the question, as one that only checks, signs in as it always did.
    if (error instanceof ApiError && error.status >= 400 && error.status < 500)
      return { mode: "own" };
    throw error;
  }
}
