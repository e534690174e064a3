-- An invitation that no mail has brought is shown to administrators, with its link to whoever made it.
create table unmailed_invitations (
  identity_id uuid primary key references identities (id) on delete cascade,
  invited_by uuid references people (id) on delete cascade,
  -- Encrypted.
  link text not null,
  -- Null while the mail is on its way.
  failed_at timestamptz,
  expires_at timestamptz not null
);
