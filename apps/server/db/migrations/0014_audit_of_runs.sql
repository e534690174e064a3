-- What people run on the server is written down beside what they change.
alter table audit_log drop constraint audit_log_verb_check;
alter table audit_log add constraint audit_log_verb_check
  check (verb in ('insert', 'update', 'delete', 'dry_run', 'run'));
