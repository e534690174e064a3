-- Every handler of an event has a row of its own, so that one that fails holds up and parks nobody else's.
alter table event_queue add fanned_at timestamptz;
create index event_queue_to_fan_out on event_queue (priority desc, created_at) where fanned_at is distinct from created_at;
drop index event_queue_next;

create table event_deliveries (
  id bigint generated always as identity primary key,
  event_id uuid not null references event_queue (id) on delete cascade,
  -- The event's name and `<feature>/<event>`.
  event text not null,
  handler text not null,
  -- What is handled in order: one after the other of the same handler and subject.
  subject text not null,
  priority int not null,
  due_at timestamptz not null,
  attempts int not null default 0,
  last_attempt timestamptz,
  error text,
  -- Given up after a day; an administrator may have it tried again.
  parked_at timestamptz
);
create index on event_deliveries (event_id);
create index event_deliveries_next on event_deliveries (handler, priority desc, id) where parked_at is null;
create index event_deliveries_order on event_deliveries (handler, subject, id) where parked_at is null;
create index event_deliveries_parked on event_deliveries (parked_at) where parked_at is not null;
