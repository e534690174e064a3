-- Triggers and read models of connections. Dropped and made again whenever this text changes.

call keep_updated_at('connections');
call keep_history('connections', 'id', '{updated_at}');
call keep_source('connections');
call seal_column('connections', 'sealed');

-- A user name that is no secret and comes back as views show it stays what it is.
create function keep_shown_username() returns trigger language plpgsql as $$
begin
  new.username := old.username;
  return new;
end $$;
create trigger a_keep_shown_username before update on connections for each row
  when (new.username in ('***', '********') and not new.sealed ? 'username') execute function keep_shown_username();

-- An address may be templated with the connection's own name: then another name is another place, to which no stored
-- secret goes along.
create function keep_secrets_in_place() returns trigger language plpgsql as $$
begin
  if exists (select from jsonb_each(new.sealed) each (path, entry)
              where entry ? 'keep' or old.sealed -> path = entry) then
    raise exception 'a secret cannot be kept' using errcode = 'MS001',
      detail = jsonb_build_array(jsonb_build_object('at', array['name'], 'why', 'moved'))::text;
  end if;
  return new;
end $$;
create trigger a_a_keep_secrets_in_place before update on connections for each row
  when ((new.name, new.namespace) is distinct from (old.name, old.namespace)
        and new.url ~ '\{\{|\$\(\.?(name|namespace)\)')
  execute function keep_secrets_in_place();

create function connection_category(url text) returns text language sql immutable parallel safe as $$
  select case when substring(url from '^([a-z]+)://') in ('bark', 'discord', 'smtp', 'gotify', 'googlechat', 'ifttt', 'join',
                'mattermost', 'matrix', 'ntfy', 'opsgenie', 'pushbullet', 'pushover', 'rocketchat', 'slack', 'teams', 'telegram', 'zulip')
         then 'notification' else '' end
$$;

create function shown_credential(value text) returns text language sql immutable parallel safe as $$
  select case when value = '' or value ~ '^(secret|configmap|helm|serviceaccount)://' then value else '***' end
$$;

create view connections_list as
  select id, name, namespace, type, connection_category(url) as category, created_by, created_at, updated_at
    from connections where deleted_at is null;

create view connection_details as
  select id, name, namespace, type, source, properties, insecure_tls, created_by, created_at, updated_at,
         connection_category(url) as category, shown_credential(username) as username,
         shown_credential(password) as password, shown_credential(certificate) as certificate
    from connections where deleted_at is null;

call announce_changes('connections', 'id');
