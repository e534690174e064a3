-- Changes are found by words of their summaries, and those that were seen more than once by how often. Of five million changes
-- both take one minute of a quiet machine and four of a busy one, in which nobody reads or writes any; writing one costs a third
-- more then.
create index config_changes_words on config_changes using gin (summary extensions.gin_trgm_ops);
create index config_changes_repeated on config_changes (created_at desc)
  include (id, config_id, change_type, severity, count) where count > 1;
