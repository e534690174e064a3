-- Where a scraper stood when everything was read: what has happened since is followed between two scrapes.

create table config_scraper_positions (
  scraper_id uuid not null references config_scrapers (id) on delete cascade,
  -- The scraper within its document: kubernetes-0.
  scraper text not null,
  position jsonb not null,
  updated_at timestamptz not null default now(),
  -- In a row, and when the next is tried.
  failures int not null default 0,
  again_at timestamptz,
  primary key (scraper_id, scraper)
);
