import type { AssuranceLevel } from "../flows/flow.ts";
import { type Device, lacksSecondFactor, type Session } from "./sessions.ts";

export interface IdentityBody {
  id: string;
  schema_id: string;
  schema_url: string;
  state: "active" | "inactive";
  state_changed_at: string;
  traits: Session["identity"]["traits"];
  metadata_public: unknown;
  verifiable_addresses: NonNullable<Session["address"]>[];
  recovery_addresses: {
    id: string;
    value: string;
    via: string;
    created_at: string;
    updated_at: string;
  }[];
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
  /** None while a second factor is owed: whoever has guessed a password learns nothing about the person by it. */
  identity: IdentityBody | null;
  devices: Device[];
}

export function toSessionBody(session: Session, baseUrl: string): SessionBody {
  return {
    id: session.id,
    active: true,
    expires_at: session.expires_at,
    authenticated_at: session.authenticated_at,
    authenticator_assurance_level: session.aal,
    authentication_methods: session.authentication_methods,
    issued_at: session.issued_at,
    identity: lacksSecondFactor(session) ? null : toIdentityBody(session, baseUrl),
    devices: session.devices,
  };
}

export function toIdentityBody({ identity, address }: Session, baseUrl: string): IdentityBody {
  const { schema_id: schemaId } = identity;
  return {
    ...identity,
    schema_url: `${baseUrl}/api/.ory/schemas/${Buffer.from(schemaId).toString("base64url")}`,
    organization_id: null,
    verifiable_addresses: address ? [withoutNull(address)] : [],
    recovery_addresses: address
      ? [
          {
            id: address.id,
            value: address.value,
            via: address.via,
            created_at: address.created_at,
            updated_at: address.updated_at,
          },
        ]
      : [],
  };
}

/** The wire format leaves out when an address that is not was verified. */
function withoutNull(address: NonNullable<Session["address"]>): NonNullable<Session["address"]> {
  const { verified_at: verifiedAt, ...rest } = address;
  return (verifiedAt === null ? rest : address) as NonNullable<Session["address"]>;
}
