-- What an item was at a moment is known from when it was read for the first time.

alter table config_item_scrapes add column first_seen_at timestamptz;
alter table config_item_scrapes alter column first_seen_at set default now();
