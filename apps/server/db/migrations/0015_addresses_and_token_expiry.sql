-- Addresses are compared as they are stored, in their normal form (platform/address.ts), and no token lasts by default.

-- The program brings the rows to that form when it starts (features/identity/bring-addresses.ts).
drop index identities_email;
create unique index identities_email on identities ((traits ->> 'email'));

-- Those in kubeconfigs had no end, and nobody had said so.
update access_tokens set expires_at = now() + interval '90 days' where kind = 'kubeconfig' and expires_at is null;
create index on access_tokens (expires_at);
