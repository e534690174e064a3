-- Secrets of canaries are kept encrypted beside the document, which holds a placeholder in their places; and documents may share a heartbeat's token.
alter table canaries add column sealed jsonb not null default '{}';

alter table check_beats drop constraint check_beats_token_hash_key;
create index on check_beats (token_hash);
