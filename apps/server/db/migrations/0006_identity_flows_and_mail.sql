-- What the flows beside signing in need: addresses and whether they are verified, codes and links, known devices.

alter table identity_flows
  add column identity_id uuid references identities (id) on delete cascade,
  -- Wrong codes that were typed in since the last one was sent.
  add column tries integer not null default 0;
create index on identity_flows (identity_id);

create table identity_addresses (
  id uuid primary key default gen_random_uuid(),
  identity_id uuid not null unique references identities (id) on delete cascade,
  value text not null,
  via text not null default 'email' check (via = 'email'),
  status text not null default 'pending' check (status in ('pending', 'sent', 'completed')),
  verified boolean not null default false,
  verified_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (verified = (verified_at is not null))
);
insert into identity_addresses (identity_id, value)
select id, traits ->> 'email' from identities where traits ->> 'email' <> '';

-- One-time secrets that were sent or handed over: a code belongs to the flow it was asked for in, a link stands alone.
create table identity_codes (
  id uuid primary key default gen_random_uuid(),
  purpose text not null check (purpose in ('recovery', 'verification', 'login', 'registration')),
  flow_id uuid references identity_flows (id) on delete cascade,
  identity_id uuid references identities (id) on delete cascade,
  -- The address that the secret proves to be somebody's; a link that was handed over proves none.
  address text,
  -- Of a code: keyed, because codes are short. Of a link: SHA-256.
  secret_hash text not null,
  issued_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create unique index identity_codes_link on identity_codes (secret_hash) where flow_id is null;
create index on identity_codes (flow_id);
create index on identity_codes (identity_id);
create index on identity_codes (expires_at);

-- From where somebody has signed in before; the key is a hash of what tells devices apart.
create table identity_devices (
  identity_id uuid not null references identities (id) on delete cascade,
  device_key text not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (identity_id, device_key)
);

-- What went wrong where a page could not show it, to be looked up by its id.
create table identity_errors (
  id uuid primary key default gen_random_uuid(),
  error jsonb not null,
  created_at timestamptz not null
);
create index on identity_errors (created_at);

-- Names of the keys that secrets were encrypted with, so that a server with another key is noticed when it starts.
create table encryption_keys (
  id text primary key,
  first_used_at timestamptz not null
);
