-- Selectors of documents and searches name labels: without an index each item was looked at. Of 200,000 items it takes a few
-- seconds to make, in which nobody reads or writes any.
create index config_items_labels_idx on config_items using gin (labels jsonb_path_ops);
