-- Names are searched for from the command palette and by selectors: by their beginning, without regard to case.

create index checks_lower_name on checks ((lower(name) collate "C")) where deleted_at is null;
create index components_lower_name on components ((lower(name) collate "C")) where deleted_at is null;
create index config_items_lower_name on config_items ((lower(name) collate "C")) where deleted_at is null;
