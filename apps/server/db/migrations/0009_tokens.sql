-- What programs sign in with, who came with which token, and accounts elsewhere that people sign in with.

create table access_tokens (
  id uuid primary key default generate_ulid(),
  name text not null,
  person_id uuid not null constraint access_tokens_person_fkey references people (id) on delete cascade,
  -- base64url of argon2id; the token itself is not kept.
  value text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  kind text not null default 'personal' check (kind in ('personal', 'service', 'kubeconfig', 'agent')),
  -- The token's own salt, by which it is found; null in rows that came from elsewhere, until they are first used.
  salt text unique,
  -- At most these; null for whatever the owner may do.
  roles text[],
  created_by uuid references people (id),
  last_used_at timestamptz,
  unique (person_id, name)
);

alter table audit_log add column token_name text;

-- An account at a provider signs in one person: its subject is kept with the credential `oidc:<provider>`.
create unique index identity_credentials_oidc on identity_credentials (type, (config ->> 'subject'))
where type like 'oidc:%';
