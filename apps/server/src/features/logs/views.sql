-- Triggers of what logs are made of. Dropped and made again whenever this text changes.

call keep_updated_at('logging_backends', '{name, namespace, labels, annotations, spec, sealed}');
call keep_history('logging_backends', 'id', '{updated_at}');
call keep_source('logging_backends');
call seal_column('logging_backends', 'sealed');
call announce_changes('logging_backends', 'id');

-- A row that says no source is kept here.
create function keep_logging_backend_in_console() returns trigger language plpgsql as $$
begin
  new.source := 'UI';
  return new;
end $$;
create trigger keep_in_console before insert on logging_backends for each row
  when (new.source is null) execute function keep_logging_backend_in_console();
