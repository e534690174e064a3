-- Keys that sign for people: second factors (webauthn) and passkeys, as many as somebody has devices.
create table identity_keys (
  id uuid primary key default generate_ulid(),
  identity_id uuid not null references identities (id) on delete cascade,
  kind text not null check (kind in ('webauthn', 'passkey')),
  -- The host name that the key signs for; browsers offer it nowhere else.
  rp_id text not null,
  -- As the authenticator names the key, base64url.
  credential_id text not null unique,
  public_key bytea not null,
  -- Of signatures so far, where the authenticator counts; it never goes back.
  counter bigint not null,
  transports text[] not null default '{}',
  backed_up boolean not null default false,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index on identity_keys (identity_id);
