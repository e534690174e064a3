-- What of a check's target ends some day, and when: lists are sorted by it.

alter table check_totals
  add column expires_at timestamptz,
  add column expires_what text;
comment on column check_totals.expires_at is 'When the certificate or the domain of the target ends, as it was seen last.';
comment on column check_totals.expires_what is 'certificate or domain.';
