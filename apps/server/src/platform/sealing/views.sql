-- Sealed secrets: a table with a document and a column of what is sealed in it calls `seal_column(table, column)`.
-- An entry is {"to", "mac", "value"}, or {"to", "lost"} where its key was given up, or {"to", "keep", "at"} for "what is
-- stored": the row decides whether there is
-- anything, and whether it goes where it went before. Which rows a write hits is known here only.

create function keep_sealed() returns trigger language plpgsql as $$
declare
  sent constant jsonb := to_jsonb(new) -> tg_argv[0];
  stored constant jsonb := to_jsonb(old) -> tg_argv[0];
  merged jsonb;
  refused jsonb;
begin
  select jsonb_object_agg(path, case when entry ? 'keep' or known ->> 'mac' = entry ->> 'mac' then known else entry end),
         jsonb_agg(jsonb_build_object('at', entry -> 'at', 'why', case when known is null then 'missing' else 'moved' end))
           filter (where entry ? 'keep' and known ->> 'to' is distinct from entry ->> 'to')
    into merged, refused
    from (select path, entry, stored -> path as known from jsonb_each(sent) as each (path, entry)) entries;
  if refused is not null then
    raise exception 'a secret cannot be kept' using errcode = 'MS001', detail = refused::text;
  end if;
  return jsonb_populate_record(new, jsonb_build_object(tg_argv[0], coalesce(merged, '{}')));
end $$;

create function refuse_unsealed() returns trigger language plpgsql as $$
declare
  refused jsonb;
begin
  select jsonb_agg(jsonb_build_object('at', entry -> 'at', 'why', 'missing')) into refused
    from jsonb_each(to_jsonb(new) -> tg_argv[0]) as each (path, entry) where entry ? 'keep';
  if refused is not null then
    raise exception 'a secret cannot be kept' using errcode = 'MS001', detail = refused::text;
  end if;
  return null;
end $$;

-- The first letters of a trigger's name decide when it comes: before those that ask whether a row has changed.
create procedure seal_column(of_table text, of_column text) language plpgsql as $$
begin
  execute format(
    'create trigger a_keep_%1$s before update on public.%2$I for each row when (new.%1$I is distinct from old.%1$I) execute function keep_sealed(%3$L)',
    of_column, of_table, of_column);
  execute format(
    'create trigger refuse_un%1$s after insert on public.%2$I for each row execute function refuse_unsealed(%3$L)',
    of_column, of_table, of_column);
end $$;
