-- What people abort is written down like what they run.
alter table audit_log drop constraint audit_log_verb_check;
alter table audit_log add constraint audit_log_verb_check
  check (verb in ('insert', 'update', 'delete', 'dry_run', 'run', 'abort'));
