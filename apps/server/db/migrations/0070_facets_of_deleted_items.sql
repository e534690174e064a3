-- How a tag or a label is written is looked up before items are searched by it, and deleted ones are searched, too.
alter table config_facets add column deleted int not null default 0;
insert into config_facets (kind, key, value, items, deleted)
  select e.kind, p.key, p.value, 0, count(*)
    from config_items i
   cross join lateral (values ('tag', i.tags), ('label', i.labels)) e (kind, pairs)
   cross join lateral jsonb_each_text(case when jsonb_typeof(e.pairs) = 'object' then e.pairs else '{}' end) p
   where i.deleted_at is not null and length(p.key) <= 128 and length(p.value) <= 400
   group by 1, 2, 3
on conflict (kind, key, value) do update set deleted = excluded.deleted;
