-- Items of a class are listed by type and name: half of all may be of one class, and they were gone through in the order of all
-- until a page of that class was found.
drop index config_items_class;
create index config_items_class on config_items (config_class, type, name);
