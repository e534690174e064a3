-- Roles that differ in what they may do, for the comparison of the program with PostgREST. The last one is for nobody.
create role roles_login login noinherit;
create role roles_anon nologin;
create role roles_clerk nologin;
create role roles_reader nologin;
create role roles_tenant nologin;
create role roles_stranger nologin;
create role roles_outsider nologin;
create role "roles ""odd"" name" nologin;
create role roles_unlent nologin;
grant roles_anon, roles_clerk, roles_reader, roles_tenant, roles_stranger, roles_outsider, "roles ""odd"" name" to roles_login;
alter role roles_clerk set statement_timeout to '77s';
alter role roles_clerk set default_transaction_isolation to 'repeatable read';

create schema shop;
create schema office;
create schema inner_part;
comment on schema shop is E'A shop\nIt sells things.';

create table shop.makers (id int primary key, name text not null, address text);
create table shop.goods (
  id int primary key, name text not null, cost int, secret text default 'hush', maker_id int references shop.makers
);
comment on table shop.goods is E'What is sold\n\nAnd has a maker.';
comment on column shop.goods.cost is 'In cents';
create table shop.orders (
  id int primary key, good_id int references shop.goods, buyer text not null, note varchar(20) default 'none'
);
create table shop.numbered (id serial primary key, text text);
create table shop.traced (id int primary key, text text);
create table office.notes (id int primary key, text text);
create view shop.good_names with (security_barrier) as select id, name from shop.goods;
create view shop.own_orders with (security_invoker) as select id, buyer, note from shop.orders;
create view shop.order_counts as select buyer, count(*) as orders from shop.orders group by buyer;

insert into shop.makers values (1, 'Ada', 'Here 1'), (2, 'Bo', null);
insert into shop.goods values (1, 'lamp', 30, 'one', 1), (2, 'chair', 55, 'two', 1), (3, 'table', null, null, 2);
insert into shop.orders values (1, 1, 'ann', 'soon'), (2, 2, 'ann', null), (3, 2, 'bob', 'late');
insert into shop.traced values (1, 'a');
insert into office.notes values (1, 'quiet'), (2, 'loud');

alter table shop.orders enable row level security;
create policy everything on shop.orders to roles_clerk using (true) with check (buyer <> 'nobody');
create policy own on shop.orders to roles_tenant
  using (buyer = current_setting('request.jwt.claims', true)::json->>'sub')
  with check (buyer = current_setting('request.jwt.claims', true)::json->>'sub');

create function inner_part.check_request() returns void language plpgsql as $$
declare asked json := current_setting('request.headers', true)::json;
begin
  perform set_config('app.checked', current_user, true);
  if asked->>'x-mark' is not null then
    perform set_config('response.headers', json_build_array(json_build_object('X-Mark', asked->>'x-mark'))::text, true);
  end if;
  if asked->>'x-status' is not null then perform set_config('response.status', asked->>'x-status', true); end if;
  if asked->>'x-refuse' is not null then
    raise exception using errcode = asked->>'x-refuse', message = 'not by this way', hint = 'try another', detail = 'a detail';
  end if;
end $$;

create function shop.whoami() returns json language sql stable as $$
  select json_build_object(
    'role', current_user, 'claims', current_setting('request.jwt.claims', true)::json, 'method', current_setting('request.method', true),
    'path', current_setting('request.path', true), 'checked', current_setting('app.checked', true),
    'setting', current_setting('app.settings.greeting', true), 'timeout', current_setting('statement_timeout'),
    'isolation', current_setting('transaction_isolation'), 'readonly', current_setting('transaction_read_only'),
    'search', current_setting('search_path'), 'zone', current_setting('timezone')) $$;
create function shop.heard(name text) returns text language sql stable as $$
  select current_setting('request.headers', true)::json->>name $$;
create function shop.headers_heard() returns json language sql stable as $$ select current_setting('request.headers', true)::json $$;
create function shop.cookies() returns json language sql stable as $$ select current_setting('request.cookies', true)::json $$;
create function shop.claim(path text[]) returns json language sql stable as $$
  select current_setting('request.jwt.claims', true)::json #> path $$;
create function shop.says(status text, headers text) returns text language sql as $$
  select 'said' from (select set_config('response.status', status, true), set_config('response.headers', headers, true)) s $$;
create function shop.says_rows(status text, headers text) returns setof shop.makers language plpgsql as $$
begin
  perform set_config('response.status', status, true), set_config('response.headers', headers, true);
  return query select * from shop.makers order by id;
end $$;
create function shop.says_and_fails() returns int language plpgsql as $$
begin
  perform set_config('response.status', '299', true), set_config('response.headers', '[{"X-Lost":"1"}]', true);
  raise exception 'after all';
end $$;
create function shop.raises(message text, detail text) returns int language plpgsql as $$
begin raise sqlstate 'PGRST' using message = message, detail = detail; end $$;
create function shop.raises_code(code text) returns int language plpgsql as $$
begin raise exception using errcode = code, message = 'raised'; end $$;
create function shop.closed() returns text language sql stable as $$ select 'in' $$;
create function shop.orders_of(who text) returns setof shop.orders language sql stable as $$
  select * from shop.orders where buyer = who $$;
create function shop.count_orders() returns bigint language sql stable security definer as $$ select count(*) from shop.orders $$;
create function shop.add_order(id int, who text) returns shop.orders language sql as $$
  insert into shop.orders values (id, 1, who) returning * $$;
create function shop.tag(goods shop.goods) returns text language sql stable as $$ select goods.name || '!' $$;
create function shop.trace() returns trigger language plpgsql as $$
begin
  perform set_config('response.headers', '[{"X-Trace":"' || tg_op || '"},{"X-Rows":"1"}]', true), set_config('response.status', '202', true);
  return coalesce(new, old);
end $$;
create trigger trace before insert or update or delete on shop.traced for each row execute function shop.trace();
create function office.louder(text text) returns text language sql immutable as $$ select upper(text) $$;
create function office.file_note(id int, text text) returns setof office.notes language sql as $$
  insert into office.notes values (id, text) returning * $$;
create function inner_part.hidden() returns int language sql immutable as $$ select 1 $$;

revoke execute on function shop.closed() from public;
revoke execute on function shop.tag(shop.goods) from public;
revoke execute on function office.file_note(int, text) from public;
grant execute on function shop.closed(), shop.tag(shop.goods), office.file_note(int, text) to roles_clerk;

grant usage on schema shop to roles_anon, roles_clerk, roles_reader, roles_tenant, roles_stranger, "roles ""odd"" name";
grant usage on schema office to roles_clerk, roles_reader;
grant usage on schema inner_part to public;
grant select on shop.makers, shop.good_names to roles_anon, roles_reader, roles_tenant;
grant select (id, name, maker_id) on shop.goods to roles_anon, roles_tenant, "roles ""odd"" name";
grant select (id, name, cost), update (cost), insert (id, name) on shop.goods to roles_reader;
grant delete on shop.goods to roles_reader;
grant select, insert, update, delete on all tables in schema shop, office to roles_clerk;
grant usage on all sequences in schema shop to roles_clerk;
grant insert on shop.numbered to roles_reader;
grant insert, update, delete on shop.traced to roles_reader;
grant select, insert, update, delete on shop.orders, shop.own_orders to roles_tenant;
grant select (id) on office.notes to roles_reader;
grant insert on office.notes to roles_reader;
