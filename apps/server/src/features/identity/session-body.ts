import type { AssuranceLevel } from "./login-flow.ts";
import type { Device, Session } from "./sessions.ts";

export interface IdentityBody {
  id: string;
  schema_id: string;
  schema_url: string;
  state: "active" | "inactive";
  state_changed_at: string;
  traits: Session["identity"]["traits"];
  metadata_public: unknown;
  organization_id: null;
  created_at: string;
  updated_at: string;
}

/** A session as clients see it. */
export interface SessionBody {
  id: string;
  active: boolean;
  expires_at: Date;
  authenticated_at: Date;
  authenticator_assurance_level: AssuranceLevel;
  authentication_methods: Session["authentication_methods"];
  issued_at: Date;
  identity: IdentityBody;
  devices: Device[];
}

export function toSessionBody(session: Session, baseUrl: string): SessionBody {
  const { schema_id: schemaId } = session.identity;
  return {
    id: session.id,
    active: true,
    expires_at: session.expires_at,
    authenticated_at: session.authenticated_at,
    authenticator_assurance_level: session.aal,
    authentication_methods: session.authentication_methods,
    issued_at: session.issued_at,
    identity: {
      ...session.identity,
      schema_url: `${baseUrl}/api/.ory/schemas/${Buffer.from(schemaId).toString("base64url")}`,
      organization_id: null,
    },
    devices: session.devices,
  };
}
