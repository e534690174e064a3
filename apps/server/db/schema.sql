-- The schema of this version, for reading. Written by `npm run schema` from the migrations and the features' views;
-- a test fails when it is not current.

create table access_tokens (
  id uuid default generate_ulid() not null,
  name text not null,
  person_id uuid not null,
  value text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  kind text default 'personal'::text not null,
  salt text,
  roles text[],
  created_by uuid,
  last_used_at timestamp with time zone,
  constraint access_tokens_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id),
  constraint access_tokens_kind_check CHECK ((kind = ANY (ARRAY['personal'::text, 'service'::text, 'kubeconfig'::text, 'agent'::text]))),
  constraint access_tokens_person_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE,
  constraint access_tokens_person_id_name_key UNIQUE (person_id, name),
  constraint access_tokens_pkey PRIMARY KEY (id),
  constraint access_tokens_salt_key UNIQUE (salt)
);

CREATE INDEX access_tokens_expires_at_idx ON public.access_tokens USING btree (expires_at);

create table agents (
  id uuid default generate_ulid() not null,
  name text not null,
  hostname text,
  description text,
  ip text,
  version text,
  username text,
  person_id uuid,
  properties jsonb,
  tls text,
  created_by uuid,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  cleanup boolean default false not null,
  deleted_at timestamp with time zone,
  last_seen timestamp with time zone,
  last_received timestamp with time zone,
  constraint agents_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id),
  constraint agents_pkey PRIMARY KEY (id)
);

CREATE UNIQUE INDEX agents_name ON public.agents USING btree (name) WHERE (deleted_at IS NULL);

create table artifact_pieces (
  artifact_id uuid not null,
  "position" integer not null,
  bytes bytea not null,
  constraint artifact_pieces_artifact_id_fkey FOREIGN KEY (artifact_id) REFERENCES artifacts(id) ON DELETE CASCADE,
  constraint artifact_pieces_pkey PRIMARY KEY (artifact_id, "position")
);

create table artifacts (
  id uuid default generate_ulid() not null,
  check_id uuid,
  check_time timestamp with time zone,
  playbook_run_action_id uuid,
  connection_id uuid,
  path text not null,
  filename text not null,
  content_type text,
  size integer not null,
  checksum text not null,
  is_pushed boolean default false not null,
  is_data_pushed boolean default false not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  deleted_at timestamp with time zone,
  expires_at timestamp with time zone,
  constraint artifacts_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE,
  constraint artifacts_pkey PRIMARY KEY (id)
);

CREATE INDEX artifacts_check_id_check_time_idx ON public.artifacts USING btree (check_id, check_time);

CREATE INDEX artifacts_expires_at_idx ON public.artifacts USING btree (expires_at);

create table audit_log (
  id uuid default generate_ulid() not null,
  created_at timestamp with time zone default now() not null,
  actor_id uuid,
  actor_name text not null,
  address text,
  request_id text,
  verb text not null,
  table_name text not null,
  row_id text not null,
  before jsonb,
  after jsonb,
  token_name text,
  resource_type text,
  resource_id uuid,
  constraint audit_log_actor_id_fkey FOREIGN KEY (actor_id) REFERENCES people(id),
  constraint audit_log_pkey PRIMARY KEY (id),
  constraint audit_log_verb_check CHECK ((verb = ANY (ARRAY['insert'::text, 'update'::text, 'delete'::text, 'dry_run'::text, 'run'::text, 'abort'::text])))
);

CREATE INDEX audit_log_actor_id_created_at_idx ON public.audit_log USING btree (actor_id, created_at);

CREATE INDEX audit_log_created_at_idx ON public.audit_log USING btree (created_at);

CREATE INDEX audit_log_resource_type_resource_id_created_at_id_idx ON public.audit_log USING btree (resource_type, resource_id, created_at, id);

CREATE INDEX audit_log_table_name_row_id_created_at_idx ON public.audit_log USING btree (table_name, row_id, created_at);

create table canaries (
  id uuid default generate_ulid() not null,
  agent_id uuid default '00000000-0000-0000-0000-000000000000'::uuid not null,
  name text not null,
  namespace text not null,
  labels jsonb,
  annotations jsonb,
  spec jsonb not null,
  source text,
  is_pushed boolean default false not null,
  created_at timestamp with time zone default now(),
  created_by uuid,
  updated_at timestamp with time zone default now(),
  deleted_at timestamp with time zone,
  sealed jsonb default '{}'::jsonb not null,
  constraint canaries_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint canaries_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id),
  constraint canaries_pkey PRIMARY KEY (id)
);

CREATE UNIQUE INDEX canaries_identity ON public.canaries USING btree (agent_id, name, namespace, COALESCE(source, 'UI'::text)) WHERE ((deleted_at IS NULL) AND (agent_id = '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX canaries_source_idx ON public.canaries USING btree (source);

create table casbin_rule (
  id bigint default nextval('casbin_rule_id_seq'::regclass) not null,
  ptype character varying(100) not null,
  v0 character varying(100) not null,
  v1 character varying(100) not null,
  v2 character varying(100),
  v3 character varying(100),
  v4 character varying(100),
  v5 character varying(100),
  constraint casbin_rule_pkey PRIMARY KEY (id)
);

CREATE UNIQUE INDEX casbin_rule_ptype_v0_v1_v2_v3_v4_v5_idx ON public.casbin_rule USING btree (ptype, v0, v1, v2, v3, v4, v5) NULLS NOT DISTINCT;

CREATE INDEX casbin_rule_v0_idx ON public.casbin_rule USING btree (v0);

create table check_beats (
  check_id uuid not null,
  token_hash text not null,
  from_spec boolean default false not null,
  created_at timestamp with time zone default now() not null,
  last_beat timestamp with time zone,
  last_call jsonb,
  constraint check_beats_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE,
  constraint check_beats_pkey PRIMARY KEY (check_id)
);

CREATE INDEX check_beats_token_hash_idx ON public.check_beats USING btree (token_hash);

create table check_component_relationships (
  component_id uuid not null,
  check_id uuid not null,
  canary_id uuid not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  deleted_at timestamp with time zone,
  selector_id text,
  is_pushed boolean default false not null,
  constraint check_component_relationships_canary_id_fkey FOREIGN KEY (canary_id) REFERENCES canaries(id) ON DELETE CASCADE,
  constraint check_component_relationships_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE,
  constraint check_component_relationships_component_id_check_id_canary__key UNIQUE (component_id, check_id, canary_id, selector_id),
  constraint check_component_relationships_component_id_fkey FOREIGN KEY (component_id) REFERENCES components(id) ON DELETE CASCADE
);

CREATE INDEX check_component_relationships_check_id_idx ON public.check_component_relationships USING btree (check_id);

CREATE INDEX check_component_relationships_component_id_idx ON public.check_component_relationships USING btree (component_id) WHERE (deleted_at IS NULL);

create table check_config_relationships (
  config_id uuid not null,
  check_id uuid not null,
  canary_id uuid not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  deleted_at timestamp with time zone,
  selector_id text,
  is_pushed boolean default false not null,
  constraint check_config_relationships_canary_id_fkey FOREIGN KEY (canary_id) REFERENCES canaries(id) ON DELETE CASCADE,
  constraint check_config_relationships_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE,
  constraint check_config_relationships_config_id_check_id_canary_id_sel_key UNIQUE (config_id, check_id, canary_id, selector_id),
  constraint check_config_relationships_config_id_fkey FOREIGN KEY (config_id) REFERENCES config_items(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);

CREATE INDEX check_config_relationships_check_id_idx ON public.check_config_relationships USING btree (check_id);

create table check_statuses (
  check_id uuid not null,
  details jsonb,
  duration integer,
  error text,
  "time" timestamp with time zone not null,
  created_at timestamp with time zone default now() not null,
  invalid boolean,
  message text,
  status boolean,
  severity text,
  is_pushed boolean default false not null,
  constraint check_statuses_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE,
  constraint check_statuses_pkey PRIMARY KEY (check_id, "time")
) partition by RANGE ("time");

CREATE INDEX check_statuses_time_idx ON ONLY public.check_statuses USING brin ("time");

create table check_totals (
  check_id uuid not null,
  passed bigint default 0 not null,
  failed bigint default 0 not null,
  duration bigint default 0 not null,
  latency integer[] default '{}'::integer[] not null,
  streak integer default 0 not null,
  streak_passed boolean,
  settled boolean,
  first_time timestamp with time zone,
  last_time timestamp with time zone,
  last_pass timestamp with time zone,
  last_fail timestamp with time zone,
  message text,
  error text,
  recent text default ''::text not null,
  endpoint text,
  held text,
  untried text,
  needed integer,
  expires_at timestamp with time zone,
  expires_what text,
  constraint check_totals_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE,
  constraint check_totals_pkey PRIMARY KEY (check_id)
) with (fillfactor=60);

create table check_totals_1d (
  check_id uuid not null,
  "time" timestamp with time zone not null,
  passed bigint not null,
  failed bigint not null,
  duration bigint not null,
  latency integer[] not null,
  constraint check_totals_1d_pkey PRIMARY KEY (check_id, "time")
);

CREATE INDEX check_totals_1d_time_idx ON public.check_totals_1d USING btree ("time");

create table check_totals_1h (
  check_id uuid not null,
  "time" timestamp with time zone not null,
  passed bigint not null,
  failed bigint not null,
  duration bigint not null,
  latency integer[] not null,
  constraint check_totals_1h_pkey PRIMARY KEY (check_id, "time")
);

CREATE INDEX check_totals_1h_time_idx ON public.check_totals_1h USING btree ("time");

create table check_totals_5m (
  check_id uuid not null,
  "time" timestamp with time zone not null,
  passed bigint not null,
  failed bigint not null,
  duration bigint not null,
  latency integer[] not null,
  constraint check_totals_5m_pkey PRIMARY KEY (check_id, "time")
) partition by RANGE ("time");

CREATE INDEX check_totals_5m_time_idx ON ONLY public.check_totals_5m USING btree ("time");

create table checks (
  id uuid default generate_ulid() not null,
  canary_id uuid not null,
  agent_id uuid default '00000000-0000-0000-0000-000000000000'::uuid not null,
  type text not null,
  name text not null,
  namespace text,
  description text,
  icon text,
  spec jsonb,
  labels jsonb,
  owner text,
  severity text,
  category text,
  is_pushed boolean default false not null,
  transformed boolean,
  last_runtime timestamp with time zone,
  last_transition_time timestamp with time zone,
  next_runtime timestamp with time zone,
  silenced_at timestamp with time zone,
  status text,
  created_at timestamp with time zone default now(),
  updated_at timestamp with time zone default now(),
  deleted_at timestamp with time zone,
  result_due timestamp with time zone,
  parent_id uuid,
  constraint checks_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint checks_canary_id_fkey FOREIGN KEY (canary_id) REFERENCES canaries(id) ON DELETE CASCADE,
  constraint checks_canary_id_type_name_agent_id_key UNIQUE (canary_id, type, name, agent_id),
  constraint checks_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES checks(id) ON DELETE CASCADE,
  constraint checks_pkey PRIMARY KEY (id)
) with (fillfactor=70);

CREATE INDEX checks_agent_id_idx ON public.checks USING btree (agent_id);

CREATE INDEX checks_deleted_at_idx ON public.checks USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX checks_lower_name ON public.checks USING btree (lower(name) COLLATE "C") WHERE (deleted_at IS NULL);

CREATE INDEX checks_parent_id_idx ON public.checks USING btree (parent_id) WHERE (parent_id IS NOT NULL);

create table component_relationships (
  component_id uuid not null,
  relationship_id uuid not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  deleted_at timestamp with time zone,
  selector_id text,
  relationship_path text,
  is_pushed boolean default false not null,
  constraint component_relationships_component_id_fkey FOREIGN KEY (component_id) REFERENCES components(id) ON DELETE CASCADE,
  constraint component_relationships_component_id_relationship_id_select_key UNIQUE (component_id, relationship_id, selector_id),
  constraint component_relationships_relationship_id_fkey FOREIGN KEY (relationship_id) REFERENCES components(id) ON DELETE CASCADE
);

CREATE INDEX component_relationships_relationship_id_idx ON public.component_relationships USING btree (relationship_id) WHERE (deleted_at IS NULL);

create table component_states (
  component_id uuid not null,
  "time" timestamp with time zone not null,
  health text,
  status text,
  constraint component_states_component_id_fkey FOREIGN KEY (component_id) REFERENCES components(id) ON DELETE CASCADE,
  constraint component_states_pkey PRIMARY KEY (component_id, "time")
);

CREATE INDEX component_states_time_idx ON public.component_states USING btree ("time");

create table components (
  id uuid default generate_ulid() not null,
  agent_id uuid default '00000000-0000-0000-0000-000000000000'::uuid not null,
  topology_id uuid,
  external_id text not null,
  parent_id uuid,
  config_id uuid,
  name text not null,
  text text,
  topology_type text,
  namespace text,
  labels jsonb,
  hidden boolean default false not null,
  silenced boolean default false not null,
  is_pushed boolean default false not null,
  status text not null,
  status_expr text,
  health_expr text,
  health text,
  description text,
  lifecycle text,
  tooltip text,
  status_reason text,
  schedule text,
  icon text,
  type text,
  owner text,
  selectors jsonb,
  log_selectors jsonb,
  component_checks jsonb,
  configs jsonb,
  properties jsonb,
  path text,
  summary jsonb,
  is_leaf boolean default false,
  cost_per_minute numeric(16,4),
  cost_total_1d numeric(16,4),
  cost_total_7d numeric(16,4),
  cost_total_30d numeric(16,4),
  created_by uuid,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now(),
  deleted_at timestamp with time zone,
  given_status text,
  given_health text,
  given_summary jsonb,
  "position" integer default 0 not null,
  roll_up_fault text,
  constraint components_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint components_config_id_fkey FOREIGN KEY (config_id) REFERENCES config_items(id),
  constraint components_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id),
  constraint components_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES components(id),
  constraint components_pkey PRIMARY KEY (id),
  constraint components_topology_id_fkey FOREIGN KEY (topology_id) REFERENCES topologies(id),
  constraint components_topology_id_type_name_parent_id_key UNIQUE (topology_id, type, name, parent_id)
);

CREATE INDEX components_agent_id_idx ON public.components USING btree (agent_id);

CREATE INDEX components_config_id_idx ON public.components USING btree (config_id);

CREATE INDEX components_deleted_at_idx ON public.components USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX components_lower_name ON public.components USING btree (lower(name) COLLATE "C") WHERE (deleted_at IS NULL);

CREATE INDEX components_name_idx ON public.components USING btree (name);

CREATE INDEX components_parent_id_idx ON public.components USING btree (parent_id);

CREATE INDEX components_properties_idx ON public.components USING gin (properties jsonb_path_ops);

CREATE INDEX components_topology_id_idx ON public.components USING btree (topology_id);

create table config_analysis (
  id uuid default generate_ulid() not null,
  config_id uuid not null,
  scraper_id uuid,
  created_by uuid,
  source text,
  analyzer text not null,
  analysis_type text,
  severity text,
  summary text,
  status text default 'open'::text,
  message text,
  analysis jsonb,
  properties jsonb,
  external_analysis_id text,
  first_observed timestamp with time zone default now() not null,
  last_observed timestamp with time zone,
  is_pushed boolean default false not null,
  constraint config_analysis_config_id_fkey FOREIGN KEY (config_id) REFERENCES config_items(id) DEFERRABLE INITIALLY DEFERRED,
  constraint config_analysis_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id),
  constraint config_analysis_pkey PRIMARY KEY (id)
) with (toast_tuple_target=1024);

CREATE INDEX config_analysis_analyzer ON public.config_analysis USING btree (lower(analyzer) COLLATE "C");

CREATE INDEX config_analysis_config_id_analysis_type_severity_idx ON public.config_analysis USING btree (config_id) INCLUDE (analysis_type, severity) WHERE (status = 'open'::text);

CREATE INDEX config_analysis_config_id_analyzer_idx ON public.config_analysis USING btree (config_id, analyzer);

CREATE INDEX config_analysis_first_observed_idx ON public.config_analysis USING btree (first_observed DESC);

CREATE INDEX config_analysis_last_observed_idx ON public.config_analysis USING btree (last_observed DESC);

CREATE INDEX config_analysis_scraper_id_idx ON public.config_analysis USING btree (scraper_id);

CREATE INDEX config_analysis_words ON public.config_analysis USING gin (summary extensions.gin_trgm_ops, message extensions.gin_trgm_ops, analyzer extensions.gin_trgm_ops);

create table config_change_hours (
  hour timestamp with time zone not null,
  change_type text,
  severity text,
  total integer not null,
  is_summed boolean default false not null
);

CREATE INDEX config_change_hours_hour ON public.config_change_hours USING btree (hour) INCLUDE (change_type, severity, total);

CREATE INDEX config_change_hours_loose ON public.config_change_hours USING btree (hour) WHERE (NOT is_summed);

create table config_change_sums (
  config_id uuid not null,
  total integer not null,
  critical integer not null,
  high integer not null,
  medium integer not null,
  low integer not null,
  type text,
  constraint config_change_sums_config_id_fkey FOREIGN KEY (config_id) REFERENCES config_items(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  constraint config_change_sums_pkey PRIMARY KEY (config_id)
) with (fillfactor=80);

CREATE INDEX config_change_sums_many ON public.config_change_sums USING btree (total) INCLUDE (config_id) WHERE (total > 20);

CREATE INDEX config_change_sums_untyped ON public.config_change_sums USING btree (config_id) WHERE (type IS NULL);

create table config_change_totals (
  config_id uuid not null,
  change_type text not null,
  severity text not null,
  total integer not null,
  constraint config_change_totals_config_id_fkey FOREIGN KEY (config_id) REFERENCES config_items(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  constraint config_change_totals_pkey PRIMARY KEY (config_id, change_type, severity)
) with (fillfactor=80);

create table config_change_window (
  since timestamp with time zone not null
);

create table config_changes (
  id uuid default generate_ulid() not null,
  config_id uuid not null,
  external_change_id text,
  external_created_by text,
  change_type text,
  severity text,
  source text,
  summary text,
  patches jsonb,
  diff text,
  details jsonb,
  created_by uuid,
  created_at timestamp with time zone default now() not null,
  count integer default 1 not null,
  fingerprint text,
  first_observed timestamp with time zone default now() not null,
  is_pushed boolean default false not null,
  constraint config_changes_config_id_external_change_id_key UNIQUE (config_id, external_change_id),
  constraint config_changes_config_id_fkey FOREIGN KEY (config_id) REFERENCES config_items(id) DEFERRABLE INITIALLY DEFERRED,
  constraint config_changes_pkey PRIMARY KEY (id)
) with (toast_tuple_target=1024);

CREATE INDEX config_changes_authored ON public.config_changes USING btree (created_at DESC) INCLUDE (id, config_id, external_created_by, created_by) WHERE ((external_created_by IS NOT NULL) OR (created_by IS NOT NULL));

CREATE INDEX config_changes_change_type_created_at_idx ON public.config_changes USING btree (change_type, created_at DESC);

CREATE INDEX config_changes_fingerprint_idx ON public.config_changes USING btree (fingerprint) WHERE (fingerprint IS NOT NULL);

CREATE INDEX config_changes_of_item ON public.config_changes USING btree (config_id, created_at DESC) INCLUDE (change_type, severity);

CREATE INDEX config_changes_repeated ON public.config_changes USING btree (created_at DESC) INCLUDE (id, config_id, change_type, severity, count) WHERE (count > 1);

CREATE INDEX config_changes_severe ON public.config_changes USING btree (created_at DESC) INCLUDE (config_id, change_type, severity) WHERE (lower(COALESCE(severity, 'info'::text)) <> 'info'::text);

CREATE INDEX config_changes_time ON public.config_changes USING btree (created_at DESC) INCLUDE (config_id, change_type, severity);

CREATE INDEX config_changes_words ON public.config_changes USING gin (summary extensions.gin_trgm_ops);

create table config_component_relationships (
  component_id uuid not null,
  config_id uuid not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now(),
  deleted_at timestamp with time zone,
  selector_id text,
  is_pushed boolean default false not null,
  constraint config_component_relationships_component_id_config_id_key UNIQUE (component_id, config_id),
  constraint config_component_relationships_component_id_fkey FOREIGN KEY (component_id) REFERENCES components(id) ON DELETE CASCADE,
  constraint config_component_relationships_config_id_fkey FOREIGN KEY (config_id) REFERENCES config_items(id) ON DELETE CASCADE
);

CREATE INDEX config_component_relationships_component_id_idx ON public.config_component_relationships USING btree (component_id) WHERE (deleted_at IS NULL);

CREATE INDEX config_component_relationships_config_id_idx ON public.config_component_relationships USING btree (config_id);

create table config_facets (
  kind text not null,
  key text not null,
  value text not null,
  items integer not null,
  deleted integer default 0 not null,
  constraint config_facets_kind_check CHECK ((kind = ANY (ARRAY['tag'::text, 'label'::text]))),
  constraint config_facets_pkey PRIMARY KEY (kind, key, value)
) with (fillfactor=80);

create table config_item_owners (
  config_id uuid not null,
  owners text[] not null,
  constraint config_item_owners_config_id_fkey FOREIGN KEY (config_id) REFERENCES config_items(id) ON DELETE CASCADE,
  constraint config_item_owners_pkey PRIMARY KEY (config_id)
);

CREATE INDEX config_item_owners_lowered ON public.config_item_owners USING gin (lowered(owners));

CREATE INDEX config_item_owners_none ON public.config_item_owners USING btree (config_id) WHERE (owners = '{}'::text[]);

CREATE INDEX config_item_owners_some ON public.config_item_owners USING btree (config_id) WHERE (owners <> '{}'::text[]);

create table config_item_scrapes (
  config_id uuid not null,
  scraper_id uuid not null,
  seen_at timestamp with time zone not null,
  digest bytea not null,
  is_waiting boolean default false not null,
  first_seen_at timestamp with time zone default now(),
  constraint config_item_scrapes_config_id_fkey FOREIGN KEY (config_id) REFERENCES config_items(id) ON DELETE CASCADE,
  constraint config_item_scrapes_pkey PRIMARY KEY (config_id)
) with (fillfactor=70);

CREATE INDEX config_item_scrapes_scraper_id_seen_at_idx ON public.config_item_scrapes USING btree (scraper_id, seen_at);

create table config_item_tags (
  config_id uuid not null,
  tag_set uuid not null,
  constraint config_item_tags_config_id_fkey FOREIGN KEY (config_id) REFERENCES config_items(id) ON DELETE CASCADE,
  constraint config_item_tags_pkey PRIMARY KEY (config_id)
);

CREATE INDEX config_item_tags_set ON public.config_item_tags USING btree (tag_set) INCLUDE (config_id);

create table config_item_versions (
  config_id uuid not null,
  changed_at timestamp with time zone not null,
  back jsonb,
  was jsonb,
  constraint config_item_versions_config_id_fkey FOREIGN KEY (config_id) REFERENCES config_items(id) ON DELETE CASCADE,
  constraint config_item_versions_pkey PRIMARY KEY (config_id, changed_at)
);

create table config_items (
  id uuid default generate_ulid() not null,
  agent_id uuid default '00000000-0000-0000-0000-000000000000'::uuid not null,
  icon text,
  scraper_id uuid,
  config_class text not null,
  status text,
  health text,
  ready boolean,
  external_id text[],
  type text not null,
  cost_per_minute numeric(16,4),
  cost_total_1d numeric(16,4),
  cost_total_7d numeric(16,4),
  cost_total_30d numeric(16,4),
  name text,
  description text,
  config jsonb,
  source text,
  labels jsonb,
  tags jsonb,
  properties jsonb,
  parent_id uuid,
  path text,
  is_pushed boolean default false not null,
  created_by uuid,
  last_scraped_time timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now(),
  deleted_at timestamp with time zone,
  delete_reason text,
  constraint config_items_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint config_items_name_type CHECK (((length(name) > 0) AND (length(type) > 0))),
  constraint config_items_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES config_items(id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
  constraint config_items_pkey PRIMARY KEY (id),
  constraint config_items_scraper_id_fkey FOREIGN KEY (scraper_id) REFERENCES config_scrapers(id)
) with (toast_tuple_target=1024);

CREATE INDEX config_items_agent_id_name_type_config_class_idx ON public.config_items USING btree (agent_id, name, type, config_class);

CREATE INDEX config_items_alive ON public.config_items USING btree (type, name) WHERE (deleted_at IS NULL);

CREATE INDEX config_items_class ON public.config_items USING btree (config_class, type, name);

CREATE INDEX config_items_created ON public.config_items USING btree (created_at);

CREATE INDEX config_items_deleted ON public.config_items USING btree (deleted_at) INCLUDE (id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX config_items_external_id_idx ON public.config_items USING gin (external_id);

CREATE INDEX config_items_external_ids ON public.config_items USING gin (lowered(external_id));

CREATE INDEX config_items_labels_idx ON public.config_items USING gin (labels jsonb_path_ops);

CREATE INDEX config_items_lower_name ON public.config_items USING btree (lower(name) COLLATE "C") WHERE (deleted_at IS NULL);

CREATE INDEX config_items_parent_id_idx ON public.config_items USING btree (parent_id);

CREATE INDEX config_items_path_idx ON public.config_items USING btree (path text_pattern_ops);

CREATE INDEX config_items_property_words ON public.config_items USING gin (property_words(properties));

CREATE INDEX config_items_scraper_id_idx ON public.config_items USING btree (scraper_id);

CREATE INDEX config_items_source ON public.config_items USING btree (source);

CREATE INDEX config_items_status ON public.config_items USING btree (status);

CREATE INDEX config_items_summary ON public.config_items USING btree (type, health) INCLUDE (id, created_at, updated_at, cost_per_minute, cost_total_1d, cost_total_7d, cost_total_30d) WHERE (deleted_at IS NULL);

CREATE INDEX config_items_tags_idx ON public.config_items USING gin (tags jsonb_path_ops);

CREATE INDEX config_items_texts ON public.config_items USING gin (name extensions.gin_trgm_ops, type extensions.gin_trgm_ops, description extensions.gin_trgm_ops, ((tags ->> 'namespace'::text)) extensions.gin_trgm_ops);

CREATE INDEX config_items_type ON public.config_items USING btree (type) INCLUDE (id);

CREATE INDEX config_items_type_of ON public.config_items USING btree (id) INCLUDE (type) WHERE (deleted_at IS NULL);

CREATE INDEX config_items_updated ON public.config_items USING btree (updated_at);

create table config_notes (
  id uuid default generate_ulid() not null,
  config_id uuid not null,
  note text not null,
  created_by uuid not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint config_notes_config_id_fkey FOREIGN KEY (config_id) REFERENCES config_items(id) ON DELETE CASCADE,
  constraint config_notes_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id),
  constraint config_notes_pkey PRIMARY KEY (id)
);

CREATE INDEX config_notes_of_item ON public.config_notes USING btree (config_id, created_at DESC);

CREATE INDEX config_notes_of_person ON public.config_notes USING btree (created_by);

create table config_relationships (
  config_id uuid not null,
  related_id uuid not null,
  relation text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  deleted_at timestamp with time zone,
  selector_id text,
  is_pushed boolean default false not null,
  constraint config_relationships_config_id_fkey FOREIGN KEY (config_id) REFERENCES config_items(id) DEFERRABLE INITIALLY DEFERRED,
  constraint config_relationships_related_id_config_id_relation_key UNIQUE NULLS NOT DISTINCT (related_id, config_id, relation),
  constraint config_relationships_related_id_fkey FOREIGN KEY (related_id) REFERENCES config_items(id) DEFERRABLE INITIALLY DEFERRED
);

CREATE INDEX config_relationships_config_id_related_id_idx ON public.config_relationships USING btree (config_id, related_id) WHERE (deleted_at IS NULL);

CREATE INDEX config_relationships_deleted_at_idx ON public.config_relationships USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

create table config_scraper_positions (
  scraper_id uuid not null,
  scraper text not null,
  "position" jsonb not null,
  updated_at timestamp with time zone default now() not null,
  failures integer default 0 not null,
  again_at timestamp with time zone,
  constraint config_scraper_positions_pkey PRIMARY KEY (scraper_id, scraper),
  constraint config_scraper_positions_scraper_id_fkey FOREIGN KEY (scraper_id) REFERENCES config_scrapers(id) ON DELETE CASCADE
);

create table config_scrapers (
  id uuid default generate_ulid() not null,
  description text,
  name text not null,
  namespace text default 'default'::text not null,
  labels jsonb,
  annotations jsonb,
  spec jsonb not null,
  sealed jsonb default '{}'::jsonb not null,
  source source default 'UI'::source not null,
  kept_in text,
  created_by uuid,
  agent_id uuid default '00000000-0000-0000-0000-000000000000'::uuid not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone,
  deleted_at timestamp with time zone,
  is_pushed boolean default false not null,
  constraint config_scrapers_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint config_scrapers_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id),
  constraint config_scrapers_pkey PRIMARY KEY (id)
);

CREATE INDEX config_scrapers_agent_id_idx ON public.config_scrapers USING btree (agent_id);

CREATE UNIQUE INDEX config_scrapers_name ON public.config_scrapers USING btree (agent_id, namespace, name) WHERE ((deleted_at IS NULL) AND (agent_id = '00000000-0000-0000-0000-000000000000'::uuid));

create table config_tag_sets (
  id uuid not null,
  tags jsonb
);

CREATE INDEX config_tag_sets_id_idx ON public.config_tag_sets USING btree (id);

CREATE INDEX config_tag_sets_tags_idx ON public.config_tag_sets USING gin (tags jsonb_path_ops);

create table connections (
  id uuid default generate_ulid() not null,
  name text not null,
  namespace text default 'default'::text not null,
  type text not null,
  url text,
  source source,
  kept_in text,
  username text,
  password text,
  certificate text,
  properties jsonb,
  insecure_tls boolean default false,
  labels jsonb,
  annotations jsonb,
  sealed jsonb default '{}'::jsonb not null,
  created_by uuid,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  deleted_at timestamp with time zone,
  constraint connections_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id),
  constraint connections_pkey PRIMARY KEY (id)
);

CREATE INDEX connections_created_by_idx ON public.connections USING btree (created_by);

CREATE UNIQUE INDEX connections_name_namespace ON public.connections USING btree (name, namespace) WHERE (deleted_at IS NULL);

create table document_texts (
  kind text not null,
  id uuid not null,
  text text not null,
  meaning text not null,
  constraint document_texts_pkey PRIMARY KEY (kind, id)
);

create table encryption_keys (
  id text not null,
  first_used_at timestamp with time zone not null,
  constraint encryption_keys_pkey PRIMARY KEY (id)
);

create table event_deliveries (
  id bigint generated always as identity not null,
  event_id uuid not null,
  event text not null,
  handler text not null,
  subject text not null,
  priority integer not null,
  due_at timestamp with time zone not null,
  attempts integer default 0 not null,
  last_attempt timestamp with time zone,
  error text,
  parked_at timestamp with time zone,
  constraint event_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES event_queue(id) ON DELETE CASCADE,
  constraint event_deliveries_pkey PRIMARY KEY (id)
);

CREATE INDEX event_deliveries_event_id_idx ON public.event_deliveries USING btree (event_id);

CREATE INDEX event_deliveries_next ON public.event_deliveries USING btree (handler, priority DESC, id) WHERE (parked_at IS NULL);

CREATE INDEX event_deliveries_order ON public.event_deliveries USING btree (handler, subject, id) WHERE (parked_at IS NULL);

CREATE INDEX event_deliveries_parked ON public.event_deliveries USING btree (parked_at) WHERE (parked_at IS NOT NULL);

create table event_queue (
  id uuid default generate_ulid() not null,
  name text not null,
  properties jsonb,
  error text,
  delay bigint,
  created_at timestamp with time zone default now() not null,
  last_attempt timestamp with time zone,
  attempts integer default 0,
  priority integer default 100 not null,
  fanned_at timestamp with time zone,
  constraint event_queue_name_properties_key UNIQUE (name, properties),
  constraint event_queue_pkey PRIMARY KEY (id)
);

CREATE INDEX event_queue_to_fan_out ON public.event_queue USING btree (priority DESC, created_at) WHERE (fanned_at IS DISTINCT FROM created_at);

create table health_versions (
  source text not null,
  version bigint default 1 not null,
  changed_at timestamp with time zone default now() not null,
  constraint health_versions_pkey PRIMARY KEY (source)
) with (fillfactor=50);

create table hosted_people (
  person_id uuid not null,
  role text not null,
  brought_admin boolean not null,
  updated_at timestamp with time zone default now() not null,
  constraint hosted_people_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE,
  constraint hosted_people_pkey PRIMARY KEY (person_id),
  constraint hosted_people_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text])))
);

create table identities (
  id uuid default generate_ulid() not null,
  schema_id text default 'default'::text not null,
  traits jsonb not null,
  state text default 'active'::text not null,
  state_changed_at timestamp with time zone default now() not null,
  metadata_public jsonb,
  metadata_admin jsonb,
  nid uuid,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  first_sign_in_at timestamp with time zone,
  constraint identities_pkey PRIMARY KEY (id),
  constraint identities_state_check CHECK ((state = ANY (ARRAY['active'::text, 'inactive'::text])))
);

CREATE UNIQUE INDEX identities_email ON public.identities USING btree (((traits ->> 'email'::text)));

create table identity_addresses (
  id uuid default gen_random_uuid() not null,
  identity_id uuid not null,
  value text not null,
  via text default 'email'::text not null,
  status text default 'pending'::text not null,
  verified boolean default false not null,
  verified_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint identity_addresses_check CHECK ((verified = (verified_at IS NOT NULL))),
  constraint identity_addresses_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE,
  constraint identity_addresses_identity_id_key UNIQUE (identity_id),
  constraint identity_addresses_pkey PRIMARY KEY (id),
  constraint identity_addresses_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'completed'::text]))),
  constraint identity_addresses_via_check CHECK ((via = 'email'::text))
);

create table identity_codes (
  id uuid default gen_random_uuid() not null,
  purpose text not null,
  flow_id uuid,
  identity_id uuid,
  address text,
  secret_hash text not null,
  issued_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint identity_codes_flow_id_fkey FOREIGN KEY (flow_id) REFERENCES identity_flows(id) ON DELETE CASCADE,
  constraint identity_codes_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE,
  constraint identity_codes_pkey PRIMARY KEY (id),
  constraint identity_codes_purpose_check CHECK ((purpose = ANY (ARRAY['recovery'::text, 'verification'::text, 'login'::text, 'registration'::text])))
);

CREATE INDEX identity_codes_expires_at_idx ON public.identity_codes USING btree (expires_at);

CREATE INDEX identity_codes_flow_id_idx ON public.identity_codes USING btree (flow_id);

CREATE INDEX identity_codes_identity_id_idx ON public.identity_codes USING btree (identity_id);

CREATE UNIQUE INDEX identity_codes_link ON public.identity_codes USING btree (secret_hash) WHERE (flow_id IS NULL);

create table identity_credentials (
  id uuid default generate_ulid() not null,
  identity_id uuid not null,
  type text not null,
  config jsonb not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint identity_credentials_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE,
  constraint identity_credentials_identity_id_type_key UNIQUE (identity_id, type),
  constraint identity_credentials_pkey PRIMARY KEY (id)
);

CREATE UNIQUE INDEX identity_credentials_oidc ON public.identity_credentials USING btree (type, ((config ->> 'subject'::text))) WHERE (type ~~ 'oidc:%'::text);

create table identity_devices (
  identity_id uuid not null,
  device_key text not null,
  first_seen_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  constraint identity_devices_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE,
  constraint identity_devices_pkey PRIMARY KEY (identity_id, device_key)
);

create table identity_errors (
  id uuid default gen_random_uuid() not null,
  error jsonb not null,
  created_at timestamp with time zone not null,
  constraint identity_errors_pkey PRIMARY KEY (id)
);

CREATE INDEX identity_errors_created_at_idx ON public.identity_errors USING btree (created_at);

create table identity_flows (
  id uuid default gen_random_uuid() not null,
  kind text not null,
  type text not null,
  state jsonb not null,
  csrf_hash text,
  return_to text,
  issued_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  identity_id uuid,
  tries integer default 0 not null,
  constraint identity_flows_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE,
  constraint identity_flows_pkey PRIMARY KEY (id),
  constraint identity_flows_type_check CHECK ((type = ANY (ARRAY['browser'::text, 'api'::text])))
);

CREATE INDEX identity_flows_expires_at_idx ON public.identity_flows USING btree (expires_at);

CREATE INDEX identity_flows_identity_id_idx ON public.identity_flows USING btree (identity_id);

create table identity_keys (
  id uuid default generate_ulid() not null,
  identity_id uuid not null,
  kind text not null,
  rp_id text not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] default '{}'::text[] not null,
  backed_up boolean default false not null,
  name text not null,
  created_at timestamp with time zone default now() not null,
  last_used_at timestamp with time zone,
  constraint identity_keys_credential_id_key UNIQUE (credential_id),
  constraint identity_keys_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE,
  constraint identity_keys_kind_check CHECK ((kind = ANY (ARRAY['webauthn'::text, 'passkey'::text]))),
  constraint identity_keys_pkey PRIMARY KEY (id)
);

CREATE INDEX identity_keys_identity_id_idx ON public.identity_keys USING btree (identity_id);

create table identity_sessions (
  id uuid default gen_random_uuid() not null,
  identity_id uuid not null,
  token_hash text not null,
  aal text default 'aal1'::text not null,
  authentication_methods jsonb default '[]'::jsonb not null,
  devices jsonb default '[]'::jsonb not null,
  active boolean default true not null,
  authenticated_at timestamp with time zone default now() not null,
  issued_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  last_seen_at timestamp with time zone default now() not null,
  constraint identity_sessions_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE,
  constraint identity_sessions_pkey PRIMARY KEY (id),
  constraint identity_sessions_token_hash_key UNIQUE (token_hash)
);

CREATE INDEX identity_sessions_expires_at_idx ON public.identity_sessions USING btree (expires_at);

CREATE INDEX identity_sessions_identity_id_idx ON public.identity_sessions USING btree (identity_id);

create table job_history (
  id uuid default generate_ulid() not null,
  agent_id uuid default '00000000-0000-0000-0000-000000000000'::uuid not null,
  name text,
  success_count integer,
  error_count integer,
  details jsonb,
  hostname text,
  duration_millis integer,
  resource_type text,
  resource_id text,
  status text,
  time_start timestamp with time zone,
  time_end timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  is_pushed boolean default false not null,
  failed_at timestamp with time zone,
  constraint job_history_pkey PRIMARY KEY (id)
) with (fillfactor=50);

CREATE UNIQUE INDEX job_history_canary_hour ON public.job_history USING btree (resource_id, date_bin('01:00:00'::interval, created_at, '1970-01-01 00:00:00+00'::timestamp with time zone)) WHERE ((name = 'Canary'::text) AND (resource_type = 'canary'::text));

CREATE INDEX job_history_last_failure ON public.job_history USING btree (resource_id, COALESCE(failed_at, time_start)) WHERE ((status = 'FAILED'::text) OR (failed_at IS NOT NULL));

CREATE INDEX job_history_name_resource_id_created_at_idx ON public.job_history USING btree (name, resource_id, created_at DESC);

CREATE INDEX job_history_of_resource ON public.job_history USING btree (resource_id, created_at DESC, id DESC);

CREATE INDEX job_history_status_idx ON public.job_history USING btree (status);

CREATE INDEX job_history_time ON public.job_history USING btree (created_at DESC, id DESC) INCLUDE (status, name, resource_type);

CREATE INDEX job_history_unsuccessful ON public.job_history USING btree (created_at DESC, id DESC) INCLUDE (status, name, resource_type) WHERE (status <> 'SUCCESS'::text);

create table log_counts (
  minute timestamp with time zone not null,
  level smallint,
  lines bigint not null
);

CREATE INDEX log_counts_minute_idx ON public.log_counts USING btree (minute);

create table log_lines (
  "time" timestamp with time zone not null,
  nanos smallint default 0 not null,
  level smallint,
  length integer,
  id bigint default nextval('log_lines_id'::regclass) not null,
  message text not null,
  labels jsonb default '{}'::jsonb not null
) partition by RANGE ("time");

CREATE INDEX log_lines_id_idx ON ONLY public.log_lines USING btree (id);

CREATE INDEX log_lines_labels_idx ON ONLY public.log_lines USING gin (labels jsonb_path_ops);

CREATE INDEX log_lines_message_idx ON ONLY public.log_lines USING gin (message extensions.gin_trgm_ops);

CREATE INDEX log_lines_time_nanos_id_idx ON ONLY public.log_lines USING btree ("time", nanos, id);

CREATE INDEX log_lines_time_nanos_id_idx1 ON ONLY public.log_lines USING btree ("time", nanos, id) WHERE (level >= 3);

create table logging_backends (
  id uuid default generate_ulid() not null,
  agent_id uuid default '00000000-0000-0000-0000-000000000000'::uuid not null,
  name text not null,
  namespace text default 'default'::text not null,
  labels jsonb,
  annotations jsonb,
  spec jsonb not null,
  sealed jsonb default '{}'::jsonb not null,
  source source default 'UI'::source not null,
  kept_in text,
  created_by uuid,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now(),
  deleted_at timestamp with time zone,
  constraint logging_backends_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint logging_backends_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id),
  constraint logging_backends_pkey PRIMARY KEY (id)
);

CREATE INDEX logging_backends_agent_id_idx ON public.logging_backends USING btree (agent_id);

CREATE UNIQUE INDEX logging_backends_name ON public.logging_backends USING btree (agent_id, namespace, name) WHERE ((deleted_at IS NULL) AND (agent_id = '00000000-0000-0000-0000-000000000000'::uuid));

create table migration_logs (
  path text not null,
  hash text not null,
  updated_at timestamp with time zone default now() not null,
  constraint migration_logs_pkey PRIMARY KEY (path)
);

create table people (
  id uuid default generate_ulid() not null,
  name text not null,
  avatar text,
  type text,
  team_id uuid,
  organization text,
  title text,
  email text,
  phone text,
  properties jsonb,
  external_id text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone,
  deleted_at timestamp with time zone,
  last_login timestamp with time zone,
  constraint people_pkey PRIMARY KEY (id),
  constraint people_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id)
);

CREATE UNIQUE INDEX people_email ON public.people USING btree (email) WHERE (deleted_at IS NULL);

CREATE INDEX people_external_id_idx ON public.people USING btree (external_id);

CREATE INDEX people_team_id_idx ON public.people USING btree (team_id);

create table properties (
  name text not null,
  value text not null,
  created_by uuid,
  created_at timestamp with time zone default now(),
  updated_at timestamp with time zone default now(),
  deleted_at timestamp with time zone,
  constraint properties_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id),
  constraint properties_pkey PRIMARY KEY (name)
);

create table saved_views (
  id uuid default generate_ulid() not null,
  person_id uuid not null,
  page text not null,
  name text not null,
  search text not null,
  is_default boolean default false not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint saved_views_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE,
  constraint saved_views_person_id_page_name_key UNIQUE (person_id, page, name),
  constraint saved_views_pkey PRIMARY KEY (id)
);

CREATE UNIQUE INDEX saved_views_default ON public.saved_views USING btree (person_id, page) WHERE is_default;

create table schedules (
  kind text not null,
  key text not null,
  schedule text not null,
  time_zone text,
  next_at timestamp with time zone,
  slot timestamp with time zone,
  claimed_by uuid,
  claimed_at timestamp with time zone,
  constraint schedules_pkey PRIMARY KEY (kind, key)
) with (fillfactor=70);

CREATE INDEX schedules_claimed ON public.schedules USING btree (claimed_by) WHERE (claimed_by IS NOT NULL);

CREATE INDEX schedules_due ON public.schedules USING btree (next_at) WHERE ((next_at IS NOT NULL) AND (claimed_by IS NULL));

create table team_components (
  team_id uuid not null,
  component_id uuid not null,
  role text,
  selector_id text,
  constraint team_components_component_id_fkey FOREIGN KEY (component_id) REFERENCES components(id) ON DELETE CASCADE,
  constraint team_components_pkey PRIMARY KEY (team_id, component_id),
  constraint team_components_team_id_component_id_selector_id_key UNIQUE (team_id, component_id, selector_id),
  constraint team_components_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
);

CREATE INDEX team_components_component_id_idx ON public.team_components USING btree (component_id);

create table team_members (
  team_id uuid not null,
  person_id uuid not null,
  constraint team_members_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint team_members_pkey PRIMARY KEY (team_id, person_id),
  constraint team_members_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id)
);

CREATE INDEX team_members_person_id_idx ON public.team_members USING btree (person_id);

create table teams (
  id uuid default generate_ulid() not null,
  name text not null,
  icon text,
  spec jsonb,
  source text,
  created_by uuid not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  deleted_at timestamp with time zone,
  constraint teams_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id),
  constraint teams_pkey PRIMARY KEY (id)
);

CREATE UNIQUE INDEX teams_name ON public.teams USING btree (name) WHERE (deleted_at IS NULL);

create table topologies (
  id uuid default generate_ulid() not null,
  agent_id uuid default '00000000-0000-0000-0000-000000000000'::uuid not null,
  name text not null,
  namespace text default 'default'::text not null,
  labels jsonb,
  annotations jsonb,
  spec jsonb not null,
  sealed jsonb default '{}'::jsonb not null,
  schedule text,
  source source default 'UI'::source not null,
  kept_in text,
  created_by uuid,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now(),
  deleted_at timestamp with time zone,
  is_pushed boolean default false not null,
  constraint topologies_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint topologies_created_by_fkey FOREIGN KEY (created_by) REFERENCES people(id),
  constraint topologies_pkey PRIMARY KEY (id)
);

CREATE INDEX topologies_agent_id_idx ON public.topologies USING btree (agent_id);

CREATE UNIQUE INDEX topologies_name ON public.topologies USING btree (agent_id, namespace, name) WHERE ((deleted_at IS NULL) AND (agent_id = '00000000-0000-0000-0000-000000000000'::uuid));

create table topology_judged (
  is_one boolean default true not null,
  inputs text default ''::text not null,
  judged_at timestamp with time zone default now() not null,
  constraint topology_judged_is_one_check CHECK (is_one),
  constraint topology_judged_pkey PRIMARY KEY (is_one)
);

create table topology_versions (
  source integer not null,
  inputs bigint default 0 not null,
  shown bigint default 0 not null,
  changed_at timestamp with time zone default now() not null,
  constraint topology_versions_pkey PRIMARY KEY (source)
) with (fillfactor=50);

create table unmailed_invitations (
  identity_id uuid not null,
  invited_by uuid,
  link text not null,
  failed_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  constraint unmailed_invitations_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE,
  constraint unmailed_invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES people(id) ON DELETE CASCADE,
  constraint unmailed_invitations_pkey PRIMARY KEY (identity_id)
);

create table workers (
  id uuid not null,
  hostname text not null,
  pid integer not null,
  started_at timestamp with time zone default now() not null,
  seen_at timestamp with time zone default now() not null,
  constraint workers_pkey PRIMARY KEY (id)
);

CREATE OR REPLACE PROCEDURE public.announce(IN of_table text, IN ids text[], IN verb text DEFAULT NULL::text, IN columns text[] DEFAULT NULL::text[])
 LANGUAGE plpgsql
AS $procedure$
declare
  said text := json_strip_nulls(json_build_object('table', of_table, 'ids', ids, 'verb', verb, 'columns', columns))::text;
begin
  -- A notification holds less than 8000 bytes.
  if cardinality(ids) > 100 or octet_length(said) > 7000 then said := json_build_object('table', of_table)::text; end if;
  perform pg_notify('mainstay_live', said);
end $procedure$
;

CREATE OR REPLACE FUNCTION public.announce_audit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  named constant int := coalesce(nullif(current_setting('mainstay.audit_named', true), ''), '0')::int;
begin
  if named >= 100 then
    call announce('audit_entries', null);
    return null;
  end if;
  perform set_config('mainstay.audit_named', (named + 1)::text, true);
  call announce('audit_entries', array[new.id::text], 'insert');
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.announce_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  key constant text := tg_argv[0];
  is_own constant boolean := tg_argv[2];
  leave_out constant text[] := tg_argv[3];
  ids text[];
  touched text[];
begin
  if tg_op <> 'UPDATE' then
    execute format('select array_agg(few.id) from (select distinct %I::text as id from changed limit 101) few', key)
       into ids;
    if ids is not null then call announce(tg_argv[1], ids, case when is_own then lower(tg_op) end); end if;
    return null;
  end if;
  -- A row that is named otherwise than before has gone from there, too.
  execute format('select array_agg(few.id) from (
      select %1$I::text as id from changed union select %1$I::text from was limit 101) few', key)
     into ids;
  if is_own and cardinality(ids) <= 100 then
    execute format(
      'select array_agg(pair.id), array_agg(distinct name)
         from (select coalesce(n.%1$I, o.%1$I)::text as id, changed_columns(to_jsonb(o) - $1, to_jsonb(n) - $1) as touched
                 from was o full join changed n on n.%1$I = o.%1$I) pair
         cross join unnest(pair.touched) name', key)
       into ids, touched using leave_out;
    select array_agg(distinct id) into ids from unnest(ids) id;
  end if;
  if ids is null then return null; end if;
  if key = any (touched) then call announce(tg_argv[1], ids);
  else call announce(tg_argv[1], ids, case when is_own then 'update' end, touched); end if;
  return null;
end $function$
;

CREATE OR REPLACE PROCEDURE public.announce_changes(IN of_table text, IN key text, IN wire text DEFAULT NULL::text, IN leave_out text[] DEFAULT '{}'::text[])
 LANGUAGE plpgsql
AS $procedure$
declare
  part record;
  is_own constant boolean := wire is null and exists (
    select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
     where i.indrelid = of_table::regclass and i.indisprimary and i.indnkeyatts = 1 and a.attname = key);
begin
  for part in select * from (values ('insert', 'new table as changed'), ('update', 'old table as was new table as changed'),
                                    ('delete', 'old table as changed')) parts (verb, sides) loop
    execute format(
      'create trigger %I after %s on public.%I referencing %s for each statement execute function announce_change(%L, %L, %L, %L)',
      'announce_' || part.verb || '_of_' || coalesce(wire, of_table), part.verb, of_table, part.sides, key,
      coalesce(wire, of_table), is_own, leave_out);
  end loop;
end $procedure$
;

CREATE OR REPLACE FUNCTION public.announce_check()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  call announce('checks', array[new.id::text], 'update', changed_columns(to_jsonb(old), to_jsonb(new)));
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.announce_sign_out()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  call announce('identities', array[new.identity_id::text]);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.announce_token_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  call announce('identities', array[old.person_id::text]);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.as_id(text text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when text ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' then text::uuid end
$function$
;

CREATE OR REPLACE FUNCTION public.canaries_soft_deleted()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  gone constant uuid[] := array(select n.id from before b join now_so n using (id)
                                 where b.deleted_at is null and n.deleted_at is not null);
begin
  if gone = '{}' then return null; end if;
  perform from checks where canary_id = any(gone) and deleted_at is null order by id for no key update;
  update checks k set deleted_at = n.deleted_at from now_so n
   where n.id = any(gone) and k.canary_id = n.id and k.deleted_at is null;
  update check_component_relationships r set deleted_at = n.deleted_at from now_so n
   where n.id = any(gone) and r.canary_id = n.id and r.deleted_at is null;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.changed_columns(was jsonb, is_now jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select coalesce(array_agg(name order by name), '{}') from jsonb_object_keys(coalesce(is_now, was)) name
   where was -> name is distinct from is_now -> name
$function$
;

CREATE OR REPLACE FUNCTION public.check_changed_state()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  is_healthy constant boolean := new.status = 'healthy';
  was_healthy boolean;
begin
  select settled into was_healthy from check_totals where check_id = new.id;
  if not found then was_healthy := case old.status when 'healthy' then true when 'unhealthy' then false end; end if;
  if was_healthy is distinct from is_healthy then
    insert into check_totals (check_id, settled) values (new.id, is_healthy)
      on conflict (check_id) do update set settled = excluded.settled;
    if was_healthy is not null or not is_healthy then
      if is_healthy then
        perform raise_event('check.passed', jsonb_build_object('id', new.id, 'last_runtime', new.last_runtime));
      else
        perform raise_event('check.failed', jsonb_build_object('id', new.id, 'last_runtime', new.last_runtime));
      end if;
    end if;
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.check_soft_deleted()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update check_component_relationships set deleted_at = new.deleted_at where check_id = new.id and deleted_at is null;
  -- Nobody sees them from now on; the clean-up takes their bytes.
  update artifacts set expires_at = now() where check_id = new.id and (expires_at is null or expires_at > now());
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.check_summary_for_component(id uuid)
 RETURNS SETOF check_summary
 LANGUAGE sql
 STABLE
AS $function$
  select s.* from check_summary s
   where exists (select from check_component_relationships r
                  where r.component_id = $1 and r.check_id = s.id and r.deleted_at is null)
$function$
;

CREATE OR REPLACE FUNCTION public.check_transition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- The moment of the run that changed it: every other place says since when by its runs.
  new.last_transition_time :=
    case when new.last_runtime is distinct from old.last_runtime then coalesce(new.last_runtime, now()) else now() end;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.checks_touch_topology()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if exists (select from check_component_relationships where check_id = new.id and deleted_at is null) then
    perform touch_topology(true);
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.component_source(c components)
 RETURNS record
 LANGUAGE sql
 STABLE
AS $function$
  select (c.agent_id, c.topology_id, c.external_id, c.parent_id, c.config_id, c.name, c.text, c.topology_type, c.namespace,
          c.labels, c.hidden, c.silenced, c.status_expr, c.health_expr, c.description, c.lifecycle, c.tooltip,
          c.status_reason, c.schedule, c.icon, c.type, c.owner, c.selectors, c.log_selectors, c.component_checks, c.configs,
          c.properties, c.path, c.is_leaf, c.cost_per_minute, c.cost_total_1d, c.cost_total_7d, c.cost_total_30d,
          c.deleted_at, c.given_status, c.given_health, c.given_summary, c.position)
$function$
;

CREATE OR REPLACE FUNCTION public.components_soft_deleted()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if (select count(*) from changed n join was o using (id) where o.deleted_at is null and n.deleted_at is not null) = 0 then
    return null;
  end if;
  delete from team_components t using was o join changed n using (id)
   where o.deleted_at is null and n.deleted_at is not null and t.component_id = n.id;
  update component_relationships r set deleted_at = n.deleted_at from was o join changed n using (id)
   where o.deleted_at is null and n.deleted_at is not null and r.deleted_at is null
     and n.id in (r.component_id, r.relationship_id);
  update check_component_relationships r set deleted_at = n.deleted_at from was o join changed n using (id)
   where o.deleted_at is null and n.deleted_at is not null and r.deleted_at is null and r.component_id = n.id;
  update config_component_relationships r set deleted_at = n.deleted_at from was o join changed n using (id)
   where o.deleted_at is null and n.deleted_at is not null and r.deleted_at is null and r.component_id = n.id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.components_tell_states()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into component_states (component_id, time, health, status)
      select id, clock_timestamp(), health, status from changed where deleted_at is null order by id;
    return null;
  end if;
  if (select count(*) from changed n join was o using (id)
       where (n.health, n.status, n.deleted_at is null) is distinct from (o.health, o.status, o.deleted_at is null)) = 0 then
    return null;
  end if;
  insert into component_states (component_id, time, health, status)
    select n.id, clock_timestamp(), case when n.deleted_at is null then n.health end,
           case when n.deleted_at is null then n.status end
      from changed n join was o using (id)
     where (n.health, n.status, n.deleted_at is null) is distinct from (o.health, o.status, o.deleted_at is null)
     order by n.id
    on conflict (component_id, time) do update set health = excluded.health, status = excluded.status;
  if (select count(*) from changed n join was o using (id) where n.health is distinct from o.health) = 0 then return null; end if;
  perform raise_event('component.healthy', state_of_component(n.id, n.status, n.description))
     from changed n join was o using (id)
    where n.deleted_at is null and n.health is distinct from o.health and n.health = 'healthy'
      -- What nobody had looked at yet has not turned; one that begins unwell is heard of all the same.
      and o.health is not null;
  perform raise_event('component.warning', state_of_component(n.id, n.status, n.description))
     from changed n join was o using (id)
    where n.deleted_at is null and n.health is distinct from o.health and n.health = 'warning';
  perform raise_event('component.unhealthy', state_of_component(n.id, n.status, n.description))
     from changed n join was o using (id)
    where n.deleted_at is null and n.health is distinct from o.health and n.health = 'unhealthy';
  perform raise_event('component.unknown', state_of_component(n.id, n.status, n.description))
     from changed n join was o using (id)
    where n.deleted_at is null and n.health is distinct from o.health and coalesce(n.health, '') not in ('healthy', 'warning', 'unhealthy')
      and o.health is not null;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.components_touch()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  is_input boolean := true;
begin
  if (select count(*) from changed) = 0 then return null; end if;
  if tg_op = 'UPDATE' then
    is_input := (select count(*) from changed n join was o using (id)
                  where component_source(n) is distinct from component_source(o)) > 0;
  end if;
  perform touch_topology(is_input);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.config_path(id uuid)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  with recursive up as (
    select i.id, i.parent_id, 0 as depth from config_items i where i.id = $1
    union all
    select i.id, i.parent_id, up.depth + 1 from up join config_items i on i.id = up.parent_id where up.depth < 64
  )
  select string_agg(up.id::text, '.' order by depth desc) from up
$function$
;

CREATE OR REPLACE FUNCTION public.config_relationships_recursive(config_id uuid, type_filter text DEFAULT 'outgoing'::text, max_depth integer DEFAULT 5, incoming_relation text DEFAULT 'both'::text, outgoing_relation text DEFAULT 'both'::text)
 RETURNS TABLE(id uuid, related_id uuid, relation_type text, direction text, depth integer)
 LANGUAGE sql
 STABLE
AS $function$
  select w.id, w.related_id, w.relation_type, w.direction, w.depth
    from walk_config_relationships($1, $2, $3, $4, $5, null) w
$function$
;

CREATE OR REPLACE FUNCTION public.connection_category(url text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when substring(url from '^([a-z]+)://') in ('bark', 'discord', 'smtp', 'gotify', 'googlechat', 'ifttt', 'join',
                'mattermost', 'matrix', 'ntfy', 'opsgenie', 'pushbullet', 'pushover', 'rocketchat', 'slack', 'teams', 'telegram', 'zulip')
         then 'notification' else '' end
$function$
;

CREATE OR REPLACE FUNCTION public.count_changes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  since constant timestamptz := (select w.since from config_change_window w for share);
  counted constant text := $sql$
    select config_id, coalesce(change_type, '') as change_type, coalesce(severity, 'info') as severity, %s::int as n
      from %I where created_at > $1 $sql$;
  sides text := '';
begin
  if tg_op <> 'DELETE' then sides := format(counted, '1', 'changed'); end if;
  if tg_op = 'UPDATE' then sides := sides || ' union all '; end if;
  if tg_op <> 'INSERT' then sides := sides || format(counted, '-1', 'was'); end if;
  execute 'with counted as materialized (
             select config_id, change_type, severity, sum(n) as n from (' || sides || ') counted
              group by config_id, change_type, severity having sum(n) <> 0
           ), totals as (
             insert into config_change_totals (config_id, change_type, severity, total)
               select config_id, change_type, severity, n from counted order by config_id, change_type, severity
             on conflict (config_id, change_type, severity) do update set total = config_change_totals.total + excluded.total
           )
           insert into config_change_sums as s (config_id, total, critical, high, medium, low)
             select config_id, sum(n), coalesce(sum(n) filter (where lower(severity) = ''critical''), 0),
                    coalesce(sum(n) filter (where lower(severity) = ''high''), 0),
                    coalesce(sum(n) filter (where lower(severity) = ''medium''), 0),
                    coalesce(sum(n) filter (where lower(severity) = ''low''), 0)
               from counted group by config_id order by config_id
           on conflict (config_id) do update
             set total = s.total + excluded.total, critical = s.critical + excluded.critical, high = s.high + excluded.high,
                 medium = s.medium + excluded.medium, low = s.low + excluded.low'
    using since;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_changes_by_hour()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into config_change_hours (hour, change_type, severity, total)
      select date_trunc('hour', created_at, 'UTC'), change_type, severity, count(*) from changed group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into config_change_hours (hour, change_type, severity, total)
      select date_trunc('hour', created_at, 'UTC'), change_type, severity, -count(*) from was group by 1, 2, 3;
  else
    insert into config_change_hours (hour, change_type, severity, total)
      select date_trunc('hour', created_at, 'UTC'), change_type, severity, sum(n)
        from (select created_at, change_type, severity, 1 as n from changed
              union all select created_at, change_type, severity, -1 from was) counted
       group by 1, 2, 3 having sum(n) <> 0;
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_facets()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  counted constant text := $sql$
    select e.kind, p.key, p.value, i.deleted_at is not null as is_deleted, %s::int as n
      from %I i
     cross join lateral (values ('tag', i.tags), ('label', i.labels)) e (kind, pairs)
     cross join lateral jsonb_each_text(case when jsonb_typeof(e.pairs) = 'object' then e.pairs else '{}' end) p
     where length(p.key) <= 128 and length(p.value) <= 400 $sql$;
  sides text := '';
begin
  if tg_op = 'UPDATE' then
    sides := format(counted, '1', 'changed') || ' and exists (select from was o where o.id = i.id and
                 (o.tags, o.labels, o.deleted_at is null) is distinct from (i.tags, i.labels, i.deleted_at is null)) union all '
          || format(counted, '-1', 'was') || ' and exists (select from changed n where n.id = i.id and
                 (n.tags, n.labels, n.deleted_at is null) is distinct from (i.tags, i.labels, i.deleted_at is null))';
  else
    sides := format(counted, case tg_op when 'INSERT' then '1' else '-1' end, 'changed');
  end if;
  execute 'insert into config_facets (kind, key, value, items, deleted)
             select kind, key, value, coalesce(sum(n) filter (where not is_deleted), 0), coalesce(sum(n) filter (where is_deleted), 0)
               from (' || sides || ') counted
              group by kind, key, value
             having sum(n) filter (where not is_deleted) <> 0 or sum(n) filter (where is_deleted) <> 0
              order by kind, key, value
           on conflict (kind, key, value) do update
             set items = config_facets.items + excluded.items, deleted = config_facets.deleted + excluded.deleted';
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_log_lines()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into log_counts (minute, level, lines)
    select date_bin('1 minute', time, 'epoch'), level, count(*) from written group by 1, 2;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.delete_person(person_id uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
  delete from casbin_rule where ptype = 'g' and v0 = person_id::text;
  delete from team_members where team_members.person_id = delete_person.person_id;
  update people set deleted_at = now() where id = delete_person.person_id and deleted_at is null;
$function$
;

CREATE OR REPLACE FUNCTION public.drop_log_day(partition text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if partition !~ '^log_lines_\d{8}$' or right(partition, 8) >= to_char(now() at time zone 'UTC', 'YYYYMMDD') then
    raise exception '% is no day of lines that is over', partition;
  end if;
  perform take_lock('partitions');
  execute format('drop table if exists %I', partition);
  -- All lines of a day that has a table of its own are in it.
  delete from log_counts
   where minute >= to_date(right(partition, 8), 'YYYYMMDD')::timestamp at time zone 'UTC'
     and minute < (to_date(right(partition, 8), 'YYYYMMDD') + 1)::timestamp at time zone 'UTC';
end
$function$
;

CREATE OR REPLACE FUNCTION public.drop_partition(of_table text, partition text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform partition_column(of_table);
  if partition !~ ('^' || of_table || '_\d{8}$') then
    raise exception '% is not a day of %', partition, of_table;
  end if;
  if right(partition, 8) >= to_char(now() at time zone 'UTC' - interval '1 day', 'YYYYMMDD') then
    raise exception 'The day of % is not over yet', partition;
  end if;
  perform take_lock('partitions');
  execute format('drop table if exists %I', partition);
end
$function$
;

CREATE OR REPLACE FUNCTION public.drop_unused_tag_sets(most integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  many bigint;
begin
  lock table config_tag_sets in share row exclusive mode;
  delete from config_tag_sets where ctid = any (array(
    select s.ctid from config_tag_sets s
     where not exists (select from config_item_tags t where t.tag_set = s.id)
        or exists (select from config_tag_sets o where o.id = s.id and o.ctid < s.ctid)
     limit most));
  get diagnostics many = row_count;
  return many;
end $function$
;

CREATE OR REPLACE FUNCTION public.forget_pushed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.is_pushed := false;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.generate_ulid()
 RETURNS uuid
 LANGUAGE sql
 PARALLEL SAFE
AS $function$
  select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
          || substr(replace(gen_random_uuid()::text, '-', ''), 1, 11)
          || substr(replace(gen_random_uuid()::text, '-', ''), 1, 9))::uuid
$function$
;

CREATE OR REPLACE FUNCTION public.get_recursive_path(start uuid)
 RETURNS TABLE(id uuid, related_id uuid, relation_type text, direction text, depth integer)
 LANGUAGE sql
 STABLE
AS $function$
  with steps as (
    select s.ancestor::uuid as ancestor, s.place, cardinality(a.ancestors) as many
      from config_items i
     cross join lateral (select string_to_array(nullif(i.path, ''), '.') as ancestors) a
     cross join lateral unnest(a.ancestors) with ordinality s (ancestor, place)
     where i.id = $1
  )
  select ancestor, coalesce(lead(ancestor) over (order by place), $1), 'parent', 'incoming', (many - place + 1)::int
    from steps order by place desc
$function$
;

CREATE OR REPLACE FUNCTION public.health_documents_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update health_versions set version = version + 1, changed_at = now() where source = 'documents';
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.id_of_row(of_table text, row_id text, "row" jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case of_table when 'casbin_rule' then "row" ->> 'v0' when 'config_notes' then "row" ->> 'config_id' else row_id end
$function$
;

CREATE OR REPLACE FUNCTION public.identity_to_address()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from identity_addresses
   where identity_id = new.id and value is distinct from new.traits ->> 'email';
  insert into identity_addresses (identity_id, value)
  select new.id, new.traits ->> 'email' where new.traits ->> 'email' <> ''
  on conflict (identity_id) do nothing;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.identity_to_person()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  case tg_op
    when 'INSERT' then
      insert into people (id, name, email)
      values (new.id, person_name(new.traits), new.traits ->> 'email');
    when 'UPDATE' then
      update people set name = person_name(new.traits), email = new.traits ->> 'email', updated_at = now()
       where id = new.id
         and (name, email) is distinct from (person_name(new.traits), new.traits ->> 'email');
    when 'DELETE' then
      perform delete_person(old.id);
  end case;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.insights_touch_topology()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  turned uuid[];
begin
  if tg_op = 'UPDATE' then
    turned := array(select n.config_id from changed n join was o using (id)
                     where (n.config_id, n.status, n.analysis_type, n.severity)
                           is distinct from (o.config_id, o.status, o.analysis_type, o.severity));
  else
    turned := array(select config_id from changed where status = 'open');
  end if;
  if turned = '{}' then return null; end if;
  if exists (select from config_component_relationships where config_id = any (turned) and deleted_at is null) then
    perform touch_topology(true);
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.items_touch_topology()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if exists (select from config_component_relationships where config_id = new.id and deleted_at is null) then
    perform touch_topology(true);
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_changed_owners()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  its_owners constant text[] := owners_of(new.labels, new.tags, new.config, new.properties);
begin
  insert into config_item_owners as o (config_id, owners) values (new.id, its_owners)
    on conflict (config_id) do update set owners = excluded.owners where o.owners <> excluded.owners;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_changed_tag_set()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  its_set constant uuid := tag_set_of(new.tags);
begin
  insert into config_tag_sets (id, tags)
    select its_set, new.tags where not exists (select from config_tag_sets s where s.id = its_set);
  update config_item_tags set tag_set = its_set where config_id = new.id;
  return null;
end $function$
;

CREATE OR REPLACE PROCEDURE public.keep_history(IN of_table text, IN key text, IN leave_out text[] DEFAULT '{}'::text[], IN verbs text DEFAULT 'insert or update or delete'::text, IN only_when text DEFAULT 'true'::text)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format(
    'create trigger record_change after %s on public.%I for each row when (current_setting(''mainstay.actor'', true) <> '''' and (%s)) execute function record_change(%s)',
    verbs, of_table, only_when,
    (select string_agg(quote_literal(argument), ', ' order by place)
       from unnest(key || leave_out) with ordinality arguments (argument, place)));
end $procedure$
;

CREATE OR REPLACE FUNCTION public.keep_in_console()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.source := 'UI';
  return new;
end $function$
;

CREATE OR REPLACE PROCEDURE public.keep_is_pushed(IN of_table text)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format(
    'create trigger reset_is_pushed before update on public.%I for each row when (new.is_pushed and old.is_pushed and new.* is distinct from old.*) execute function forget_pushed()',
    of_table);
end $procedure$
;

CREATE OR REPLACE FUNCTION public.keep_logging_backend_in_console()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.source := 'UI';
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_owners()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  -- Not by `owners_of`, which would be begun and ended for each of them; this is part of the statement.
  insert into config_item_owners (config_id, owners)
    select id, array(select owner from said_of_owners(labels, tags, config, properties)) from changed;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_sealed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_secrets_in_place()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from jsonb_each(new.sealed) each (path, entry)
              where entry ? 'keep' or old.sealed -> path = entry) then
    raise exception 'a secret cannot be kept' using errcode = 'MS001',
      detail = jsonb_build_array(jsonb_build_object('at', array['name'], 'why', 'moved'))::text;
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_shown_username()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.username := old.username;
  return new;
end $function$
;

CREATE OR REPLACE PROCEDURE public.keep_source(IN of_table text)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format(
    'create trigger keep_source before update on public.%I for each row when (new.source is distinct from old.source and old.deleted_at is null and coalesce(nullif(old.source::text, ''''), ''UI'') <> ''UI'') execute function refuse_other_source()',
    of_table);
end $procedure$
;

CREATE OR REPLACE FUNCTION public.keep_tag_sets()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into config_tag_sets (id, tags)
    select distinct on (tag_set_of(tags)) tag_set_of(tags), tags from changed n
     where not exists (select from config_tag_sets s where s.id = tag_set_of(n.tags));
  insert into config_item_tags (config_id, tag_set) select id, tag_set_of(tags) from changed;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_topology_in_console()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.source := 'UI';
  return new;
end $function$
;

CREATE OR REPLACE PROCEDURE public.keep_updated_at(IN of_table text, IN of_columns text[] DEFAULT NULL::text[])
 LANGUAGE plpgsql
AS $procedure$
declare
  condition text := 'new.* is distinct from old.*';
  known constant text[] := array(
    select attname::text from pg_attribute
     where attrelid = format('public.%I', of_table)::regclass and attnum > 0 and not attisdropped);
begin
  if of_columns is not null then
    select format('(%s) is distinct from (%s)', string_agg(format('new.%I', name), ', '), string_agg(format('old.%I', name), ', '))
      into condition from unnest(of_columns) name;
  end if;
  if 'deleted_at' = any(known) then condition := condition || ' and new.deleted_at is null'; end if;
  if 'is_pushed' = any(known) then condition := condition || ' and new.is_pushed = old.is_pushed'; end if;
  if 'agent_id' = any(known) then
    condition := condition || ' and new.agent_id = ''00000000-0000-0000-0000-000000000000''';
  end if;
  execute format(
    'create trigger keep_updated_at before update on public.%I for each row when (%s) execute function touch_updated_at()',
    of_table, condition);
end $procedure$
;

CREATE OR REPLACE FUNCTION public.kind_of_row(of_table text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case of_table when 'teams' then 'team' when 'people' then 'person' when 'access_tokens' then 'access_token' when 'agents' then 'agent' when 'connections' then 'connection' when 'config_items' then 'configs' when 'config_scrapers' then 'config_scraper' when 'canaries' then 'canary' when 'checks' then 'check' when 'topologies' then 'topology' when 'components' then 'components' when 'logging_backends' then 'logging_backend' when 'casbin_rule' then 'person' when 'team_members' then 'team' when 'identities' then 'person' when 'identity_credentials' then 'person' when 'identity_keys' then 'person' when 'identity_codes' then 'person' when 'config_notes' then 'configs' else null end
$function$
;

CREATE OR REPLACE FUNCTION public.lookup_analysis_by_component(id text)
 RETURNS SETOF config_analysis
 LANGUAGE sql
 STABLE
AS $function$
  select a.* from config_analysis a
    join config_component_relationships r on r.config_id = a.config_id and r.deleted_at is null
   where r.component_id = $1::uuid
$function$
;

CREATE OR REPLACE FUNCTION public.lookup_changes_by_component(id text)
 RETURNS SETOF config_changes
 LANGUAGE sql
 STABLE
AS $function$
  select c.* from config_changes c
    join config_component_relationships r on r.config_id = c.config_id and r.deleted_at is null
   where r.component_id = $1::uuid
$function$
;

CREATE OR REPLACE FUNCTION public.lookup_component_by_property(name text, value text)
 RETURNS SETOF topology
 LANGUAGE sql
 STABLE
AS $function$
  select c.* from topology c
   where (c.properties @> jsonb_build_array(jsonb_build_object('name', $1, 'text', $2))
          or c.properties @> jsonb_build_array(jsonb_build_object('name', $1, 'value', $2))
          or c.properties @> jsonb_build_array(jsonb_build_object('name', $1, 'value',
               to_jsonb(case when $2 ~ '^-?\d{1,15}(\.\d{1,15})?$' then $2::numeric end))))
$function$
;

CREATE OR REPLACE FUNCTION public.lookup_component_children(id text, max_depth integer)
 RETURNS TABLE(child_id uuid, parent_id uuid, level integer)
 LANGUAGE sql
 STABLE
AS $function$
  with recursive down as (
    select c.id, c.parent_id, 0 as level from components c where c.id = $1::uuid
    union all
    select c.id, c.parent_id, down.level + 1 from down join components c on c.parent_id = down.id
     where c.deleted_at is null and down.level < case when $2 < 0 then 10 else least($2, 64) end
  ) cycle id set is_back using way
  select down.id, down.parent_id, down.level from down where not is_back
$function$
;

CREATE OR REPLACE FUNCTION public.lookup_component_config_id_related_components(component_id text)
 RETURNS TABLE(id uuid)
 LANGUAGE sql
 STABLE
AS $function$
  with own as (
    select i.id, coalesce(i.path, '') as path from components c join config_items i on i.id = c.config_id where c.id = $1::uuid
  ), root as (
    select case when path = '' then own.id::text else path end as path, own.id from own
  )
  select c.id from components c join config_items i on i.id = c.config_id cross join root
   where c.deleted_at is null and (i.id = root.id or i.path = root.path or starts_with(i.path, root.path || '.'))
$function$
;

CREATE OR REPLACE FUNCTION public.lookup_component_names(component_ids uuid[])
 RETURNS TABLE(names text[])
 LANGUAGE sql
 STABLE
AS $function$
  select array_agg(c.name order by n.place) from unnest($1) with ordinality n (id, place) join components c on c.id = n.id
$function$
;

CREATE OR REPLACE FUNCTION public.lookup_component_relations(component_id text)
 RETURNS TABLE(id uuid)
 LANGUAGE sql
 STABLE
AS $function$
  select case when r.component_id = $1::uuid then r.relationship_id else r.component_id end
    from component_relationships r where $1::uuid in (r.component_id, r.relationship_id) and r.deleted_at is null
$function$
;

CREATE OR REPLACE FUNCTION public.lookup_components_by_check(id uuid)
 RETURNS SETOF topology
 LANGUAGE sql
 STABLE
AS $function$
  select c.* from topology c
   where exists (select from check_component_relationships r
                  where r.check_id = $1 and r.component_id = c.id and r.deleted_at is null)
$function$
;

CREATE OR REPLACE FUNCTION public.lookup_components_by_config(id text)
 RETURNS TABLE(component_id uuid, name text, type text, icon text, role text)
 LANGUAGE sql
 STABLE
AS $function$
  select c.id, c.name, c.type, c.icon, 'left' from components c
    join config_component_relationships r on r.component_id = c.id and r.deleted_at is null
   where r.config_id = $1::uuid
$function$
;

CREATE OR REPLACE FUNCTION public.lookup_config_children(id text, max_depth integer)
 RETURNS TABLE(child_id uuid, parent_id uuid, level integer)
 LANGUAGE sql
 STABLE
AS $function$
  with recursive down as (
    select i.id, i.parent_id, 0 as level from config_items i where i.id = $1::uuid
    union all
    select i.id, i.parent_id, down.level + 1 from down join config_items i on i.parent_id = down.id
     where down.level < case when $2 < 0 then 10 else least($2, 64) end
  )
  select down.id, down.parent_id, down.level from down
$function$
;

CREATE OR REPLACE FUNCTION public.lookup_config_relations(config_id text)
 RETURNS TABLE(id uuid)
 LANGUAGE sql
 STABLE
AS $function$
  select case when r.config_id = $1::uuid then r.related_id else r.config_id end
    from config_relationships r where $1::uuid in (r.config_id, r.related_id)
$function$
;

CREATE OR REPLACE FUNCTION public.lookup_configs_by_component(id text)
 RETURNS TABLE(config_id uuid, name text, type text, icon text, role text, deleted_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
  select i.id, i.name, i.config_class, i.icon, 'left', i.deleted_at from config_items i
    join config_component_relationships r on r.config_id = i.id and r.deleted_at is null
   where r.component_id = $1::uuid
$function$
;

CREATE OR REPLACE FUNCTION public.lowered(texts text[])
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select array(select lower(one) from unnest(texts) one)
$function$
;

CREATE OR REPLACE FUNCTION public.make_partition(of_table text, day date)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  name constant text := of_table || to_char(day, '_YYYYMMDD');
  from_time constant timestamptz := day::timestamp at time zone 'UTC';
  to_time constant timestamptz := (day + 1)::timestamp at time zone 'UTC';
  time_column constant text := partition_column(of_table);
begin
  perform take_lock('partitions');
  -- Looked up in the table itself: what is cached of names may be from before the lock was waited for.
  if exists (select from pg_class where relname = name and relnamespace = 'public'::regnamespace) then return false; end if;
  -- Nobody may write a row of the day there between the moving and the attaching; that needs this lock anyway.
  execute format('lock table %I in access exclusive mode', of_table || '_default');
  execute format('create table %I (like %I including defaults including constraints)', name, of_table);
  execute format('with moved as (delete from %1$I where %3$I >= $1 and %3$I < $2 returning *) insert into %2$I select * from moved',
                 of_table || '_default', name, time_column) using from_time, to_time;
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', of_table, name, from_time, to_time);
  return true;
end
$function$
;

CREATE OR REPLACE FUNCTION public.member_id_of_row(of_table text, "row" jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case of_table when 'team_members' then "row" ->> 'person_id' else null end
$function$
;

CREATE OR REPLACE FUNCTION public.member_kind_of_row(of_table text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case of_table when 'team_members' then 'person' else null end
$function$
;

CREATE OR REPLACE FUNCTION public.name_config_item()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.name := right(new.id::text, 12);
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.note_resource()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.resource_type := kind_of_row(new.table_name);
  new.resource_id := as_id(id_of_row(new.table_name, new.row_id, coalesce(new.after, new.before)));
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.notify_event_queue()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('event_queue_updates', new.name);
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.owners_of(labels jsonb, tags jsonb, config jsonb, properties jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select array(select owner from said_of_owners(labels, tags, config, properties))
$function$
;

CREATE OR REPLACE FUNCTION public.partition_column(of_table text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  name constant text := case of_table when 'check_statuses' then 'time' when 'check_totals_5m' then 'time' when 'log_lines' then 'time' end;
begin
  if name is null then raise exception '% is not divided by day', of_table; end if;
  return name;
end $function$
;

CREATE OR REPLACE FUNCTION public.person_name(traits jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select coalesce(nullif(trim(concat_ws(' ', traits #>> '{name,first}', traits #>> '{name,last}')), ''),
                  traits ->> 'email', 'Unnamed')
$function$
;

CREATE OR REPLACE FUNCTION public.place_config_items(ids uuid[])
 RETURNS TABLE(name text, type text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
begin
  return query
    with recursive up as (
      select i.id as start, i.parent_id as at, 1 as depth from config_items i where i.id = any(ids) and i.parent_id is not null
      union all
      select up.start, p.parent_id, up.depth + 1 from up join config_items p on p.id = up.at
       where up.at <> up.start and up.depth < 64 and p.parent_id is not null
    )
    update config_items i set parent_id = null where i.id in (select start from up where at = start)
    returning i.name, i.type;
  with recursive down as (
    select id from unnest(ids) id
    union
    select c.id from down join config_items c on c.parent_id = down.id
  )
  update config_items i set path = w.path
    from down
   cross join lateral (
     with recursive up as (
       select o.parent_id as at, 1 as depth from config_items o where o.id = down.id
       union all
       select p.parent_id, up.depth + 1 from up join config_items p on p.id = up.at where up.depth < 64
     )
     select coalesce(string_agg(at::text, '.' order by depth desc), '') as path from up where at is not null) w
   where i.id = down.id and i.path is distinct from w.path;
end $function$
;

CREATE OR REPLACE FUNCTION public.property_words(properties jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  if jsonb_typeof(properties) is distinct from 'array' or properties = '[]' then return '{}'; end if;
  return array(
    select word from (
      select lower(one ->> 'name') as name, lower(left(coalesce(one ->> 'text', one ->> 'value'), 256)) as said
        from jsonb_array_elements(properties) one) properties
      cross join lateral (values (name), (name || chr(10) || said)) words (word)
     where word is not null);
end $function$
;

CREATE OR REPLACE FUNCTION public.raise_event(event_name text, payload jsonb)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into event_queue (name, properties) values (event_name, payload)
  on conflict (name, properties) do update set created_at = clock_timestamp(), last_attempt = null, attempts = 0;
$function$
;

CREATE OR REPLACE FUNCTION public.raise_events(event_name text, payloads jsonb[])
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into event_queue (name, properties)
    select event_name, e.payload from unnest(payloads) with ordinality e (payload, place) group by e.payload order by min(e.place)
  on conflict (name, properties) do update set created_at = clock_timestamp(), last_attempt = null, attempts = 0;
$function$
;

CREATE OR REPLACE FUNCTION public.record_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  actor jsonb := current_setting('mainstay.actor')::jsonb;
  was jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) - 'sealed' - tg_argv[1:] end;
  is_now jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) - 'sealed' - tg_argv[1:] end;
  key text := coalesce(to_jsonb(new), to_jsonb(old)) ->> tg_argv[0];
  before_values jsonb := was;
  after_values jsonb := is_now;
  secrets jsonb;
begin
  if tg_op = 'DELETE' then key := to_jsonb(old) ->> tg_argv[0]; end if;
  if tg_op = 'UPDATE' then
    select jsonb_object_agg(name, was -> name), jsonb_object_agg(name, is_now -> name) into before_values, after_values
      from jsonb_object_keys(is_now) name where was -> name is distinct from is_now -> name;
    select jsonb_build_object('sealed', jsonb_agg(path order by path)) into secrets
      from jsonb_object_keys((to_jsonb(old) -> 'sealed') || (to_jsonb(new) -> 'sealed')) path
     where to_jsonb(old) -> 'sealed' -> path is distinct from to_jsonb(new) -> 'sealed' -> path
    having count(*) > 0;
    after_values := coalesce(after_values || secrets, after_values, secrets);
    if after_values is null then return null; end if;
  end if;
  insert into audit_log (actor_id, actor_name, token_name, address, request_id, verb, table_name, row_id, before, after)
  values ((actor ->> 'id')::uuid, actor ->> 'name', actor ->> 'token', actor ->> 'address', actor ->> 'request', lower(tg_op), tg_table_name,
          key, before_values, after_values);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.refuse_other_source()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'This row is kept in %: it stays there.', old.source using errcode = 'PT409';
end $function$
;

CREATE OR REPLACE FUNCTION public.refuse_unsealed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  refused jsonb;
begin
  select jsonb_agg(jsonb_build_object('at', entry -> 'at', 'why', 'missing')) into refused
    from jsonb_each(to_jsonb(new) -> tg_argv[0]) as each (path, entry) where entry ? 'keep';
  if refused is not null then
    raise exception 'a secret cannot be kept' using errcode = 'MS001', detail = refused::text;
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.relate_to_parents()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  moved uuid[];
  befores uuid[];
  afters uuid[];
begin
  if tg_op = 'UPDATE' then
    -- Planned each time, by how many rows there are: a plan that was made for one would try each row with each.
    execute 'select array_agg(n.id), array_agg(o.parent_id), array_agg(n.parent_id)
               from changed n join was o using (id) where n.parent_id is distinct from o.parent_id'
      into moved, befores, afters;
    if moved is null then return null; end if;
    delete from config_relationships r using unnest(moved, befores) m (id, parent_id)
     where r.related_id = m.id and r.config_id = m.parent_id and r.relation = 'hard';
    insert into config_relationships (config_id, related_id, relation)
      select m.parent_id, m.id, 'hard' from unnest(moved, afters) m (id, parent_id)
       where m.parent_id is not null
       order by m.id
      on conflict (related_id, config_id, relation) do update set deleted_at = null, updated_at = now()
        where config_relationships.deleted_at is not null;
  else
    insert into config_relationships (config_id, related_id, relation)
      select parent_id, id, 'hard' from changed where parent_id is not null order by id
      on conflict (related_id, config_id, relation) do nothing;
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.related_changes_recursive(lookup_id uuid, type_filter text DEFAULT 'downstream'::text, include_deleted_configs boolean DEFAULT false, max_depth integer DEFAULT 5)
 RETURNS SETOF catalog_changes
 LANGUAGE sql
 STABLE
AS $function$
  select c.* from catalog_changes c
   where c.config_id in (
     select $1
     union
     select r.id from related_config_ids_recursive(
       $1, case type_filter when 'downstream' then 'outgoing' when 'upstream' then 'incoming' else 'all' end,
       case when type_filter in ('none', '') then 0 else $4 end) r)
$function$
;

CREATE OR REPLACE FUNCTION public.related_config_ids_recursive(config_id uuid, type_filter text DEFAULT 'outgoing'::text, max_depth integer DEFAULT 5, incoming_relation text DEFAULT 'both'::text, outgoing_relation text DEFAULT 'both'::text)
 RETURNS TABLE(id uuid, direction text, depth integer)
 LANGUAGE sql
 STABLE
AS $function$
  select e.id, e.direction, min(e.depth) from (
    select case direction when 'outgoing' then r.related_id else r.id end as id, direction, depth
      from config_relationships_recursive($1, $2, $3, $4, $5) r) e
   group by e.id, e.direction
$function$
;

CREATE OR REPLACE FUNCTION public.related_configs_recursive(config_id uuid, type_filter text DEFAULT 'outgoing'::text, include_deleted_configs boolean DEFAULT false, max_depth integer DEFAULT 5, incoming_relation text DEFAULT 'both'::text, outgoing_relation text DEFAULT 'both'::text, max_nodes integer DEFAULT 20000)
 RETURNS TABLE(id uuid, name text, type text, related_ids text[], tags jsonb, changes jsonb, analysis jsonb, cost_per_minute numeric, cost_total_1d numeric, cost_total_7d numeric, cost_total_30d numeric, created_at timestamp with time zone, updated_at timestamp with time zone, deleted_at timestamp with time zone, agent_id uuid, health text, ready boolean, status text, path text, labels jsonb, relations jsonb, is_partial boolean)
 LANGUAGE sql
 STABLE
AS $function$
  with edges as materialized (
    select id, related_id, relation_type, depth, is_cut from walk_config_relationships($1, $2, $4, $5, $6, coalesce($7, 20000))
    union all
    select id, related_id, 'hard', depth, false from get_recursive_path($1)
  ), ties as (
    select id, related_id, min(depth) as depth, jsonb_agg(distinct coalesce(relation_type, '')) as names
      from edges where not is_cut group by id, related_id
  ), nodes as (
    select node, min(depth) as depth, array_agg(target::text order by target) filter (where target is not null) as related_ids,
           jsonb_object_agg(target, names) filter (where target is not null) as relations
      from (select id as node, related_id as target, names, depth from ties
            union all select related_id, null, null, depth from ties
            union all select $1, null, null, 0) ends
     group by node
  )
  select c.id, c.name, c.type, n.related_ids, c.tags, c.changes, c.analysis, c.cost_per_minute, c.cost_total_1d,
         c.cost_total_7d, c.cost_total_30d, c.created_at, c.updated_at, c.deleted_at, c.agent_id, c.health, c.ready,
         c.status, c.path, c.labels, n.relations, exists (select from edges where is_cut)
    from nodes n join configs c on c.id = n.node
   where include_deleted_configs or c.deleted_at is null
   order by n.depth, c.name
$function$
;

CREATE OR REPLACE FUNCTION public.resource_name(of_kind text, of_id text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(namespace || '/', '') || name from resource_names where kind = of_kind and id = as_id(of_id)
$function$
;

CREATE OR REPLACE FUNCTION public.said_of_owners(labels jsonb, tags jsonb, config jsonb, properties jsonb)
 RETURNS TABLE(owner text)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select btrim(left(said.value, 256)) from (
    select * from jsonb_each_text(case jsonb_typeof(labels) when 'object' then labels end)
    union all
    select * from jsonb_each_text(case jsonb_typeof(tags) when 'object' then tags end)
    union all
    select * from jsonb_each_text(
      case jsonb_typeof(config #> '{metadata,annotations}') when 'object' then config #> '{metadata,annotations}' end)
    union all
    select coalesce(p ->> 'name', p ->> 'label'), coalesce(p ->> 'text', p ->> 'value')
      from jsonb_array_elements(case jsonb_typeof(properties) when 'array' then properties end) p) said (key, value)
   where btrim(left(said.value, 256)) <> ''
     and regexp_replace(lower(regexp_replace(said.key, '^.*/', '')), '[^a-z]', '', 'g')
         in ('owner', 'ownedby', 'owners', 'team', 'ownerteam', 'teamname', 'maintainer')
   limit 32
$function$
;

CREATE OR REPLACE FUNCTION public.scrapers_soft_deleted()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update config_items i set deleted_at = n.deleted_at, delete_reason = 'SCRAPER_DELETED'
    from was o join changed n using (id)
   where o.deleted_at is null and n.deleted_at is not null and i.scraper_id = n.id and i.deleted_at is null;
  return null;
end $function$
;

CREATE OR REPLACE PROCEDURE public.seal_column(IN of_table text, IN of_column text)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format(
    'create trigger a_keep_%1$s before update on public.%2$I for each row when (new.%1$I is distinct from old.%1$I) execute function keep_sealed(%3$L)',
    of_column, of_table, of_column);
  execute format(
    'create trigger refuse_un%1$s after insert on public.%2$I for each row execute function refuse_unsealed(%3$L)',
    of_column, of_table, of_column);
end $procedure$
;

CREATE OR REPLACE FUNCTION public.shown_credential(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when value = '' or value ~ '^(secret|configmap|helm|serviceaccount)://' then value else '***' end
$function$
;

CREATE OR REPLACE FUNCTION public.slide_change_window()
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  was constant timestamptz := (select since from config_change_window for update);
  is_now constant timestamptz := now() - interval '30 days';
  gone bigint;
begin
  if is_now <= was then return 0; end if;
  with over as (
    select config_id, coalesce(change_type, '') as change_type, coalesce(severity, 'info') as severity, count(*) as n
      from config_changes where created_at > was and created_at <= is_now
     group by 1, 2, 3 order by 1, 2, 3
  ), emptied as (
    delete from config_change_totals t using over o
     where t.config_id = o.config_id and t.change_type = o.change_type and t.severity = o.severity and t.total <= o.n
  ), taken as (
    update config_change_totals t set total = t.total - o.n from over o
     where t.config_id = o.config_id and t.change_type = o.change_type and t.severity = o.severity and t.total > o.n
  ), summed as (
    update config_change_sums s
       set total = s.total - o.total, critical = s.critical - o.critical, high = s.high - o.high,
           medium = s.medium - o.medium, low = s.low - o.low
      from (select config_id, sum(n) as total, coalesce(sum(n) filter (where lower(severity) = 'critical'), 0) as critical,
                   coalesce(sum(n) filter (where lower(severity) = 'high'), 0) as high,
                   coalesce(sum(n) filter (where lower(severity) = 'medium'), 0) as medium,
                   coalesce(sum(n) filter (where lower(severity) = 'low'), 0) as low
              from over group by config_id) o
     where s.config_id = o.config_id
  )
  select coalesce(sum(n), 0) into gone from over;
  update config_change_window set since = is_now;
  return gone;
end $function$
;

CREATE OR REPLACE FUNCTION public.state_of_component(id uuid, status text, description text)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select jsonb_build_object('id', id, 'status', status, 'description', description)
$function$
;

CREATE OR REPLACE FUNCTION public.state_of_item(id uuid, status text, description text)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select jsonb_build_object('id', id, 'status', status, 'description', description)
$function$
;

CREATE OR REPLACE FUNCTION public.sum_change_hours()
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  many bigint;
begin
  with loose as materialized (
    select distinct hour from config_change_hours where not is_summed
  ), taken as (
    delete from config_change_hours h using loose where h.hour = loose.hour
    returning h.hour, h.change_type, h.severity, h.total
  ), summed as (
    insert into config_change_hours (hour, change_type, severity, total, is_summed)
      select hour, change_type, severity, sum(total), true from taken group by 1, 2, 3 having sum(total) <> 0
  )
  select count(*) into many from taken;
  return many;
end $function$
;

CREATE OR REPLACE FUNCTION public.sums_follow_type()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update config_change_sums set type = new.type where config_id = new.id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.tag_set_of(tags jsonb)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE
AS $function$ select md5(coalesce(tags::text, ''))::uuid $function$
;

CREATE OR REPLACE FUNCTION public.take_lock(name text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  number constant bigint := case name
    when 'migrate' then 6146131
    when 'dataRoles' then 6146132
    when 'roles' then 6146133
    when 'queues' then 6146134
    when 'partitions' then 6146135
    when 'deliveries' then 6146140
    when 'documents' then 6146141
    when 'documentSources' then 6146142
    when 'components' then 6146150
  end;
begin
  if number is null then raise exception 'There is no lock %', name; end if;
  perform pg_advisory_xact_lock(number);
end $function$
;

CREATE OR REPLACE FUNCTION public.team_components_end()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from team_components t using was o join changed n using (id)
   where o.deleted_at is null and n.deleted_at is not null and t.team_id = n.id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.teams_touch_topology()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if exists (select from team_components where team_id = new.id) then perform touch_topology(false); end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.tell_of_changes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform raise_events('config.updated', array(
    select jsonb_build_object('id', config_id, 'change_id', id) from changed where change_type = 'diff'));
  perform raise_events('config.changed', array(
    select jsonb_build_object('id', config_id, 'change_id', id) from changed where change_type is distinct from 'diff'));
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.tell_of_items()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if tg_op = 'INSERT' then
    perform raise_events('config.created', array(select jsonb_build_object('id', id) from changed));
    perform raise_events('config.warning', array(select state_of_item(id, status, description) from changed where health = 'warning'));
    perform raise_events('config.unhealthy', array(select state_of_item(id, status, description) from changed where health = 'unhealthy'));
  else
    perform raise_events('config.deleted', array(
      select jsonb_build_object('id', n.id)
        from changed n join was o using (id) where o.deleted_at is null and n.deleted_at is not null));
    -- Counted, and not asked whether there is one: for one the database would try each row with each.
    if (select count(*) from changed n join was o using (id) where n.health is distinct from o.health) = 0 then return null; end if;
    perform raise_events('config.healthy', array(
      select state_of_item(n.id, n.status, n.description)
        from changed n join was o using (id) where n.health is distinct from o.health and n.health = 'healthy'));
    perform raise_events('config.warning', array(
      select state_of_item(n.id, n.status, n.description)
        from changed n join was o using (id) where n.health is distinct from o.health and n.health = 'warning'));
    perform raise_events('config.unhealthy', array(
      select state_of_item(n.id, n.status, n.description)
        from changed n join was o using (id) where n.health is distinct from o.health and n.health = 'unhealthy'));
    perform raise_events('config.unknown', array(
      select state_of_item(n.id, n.status, n.description)
        from changed n join was o using (id)
       where n.health is distinct from o.health and coalesce(n.health, '') not in ('healthy', 'warning', 'unhealthy')));
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.topologies_soft_deleted()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update components c set deleted_at = n.deleted_at
    from was o join changed n using (id)
   where o.deleted_at is null and n.deleted_at is not null and c.topology_id = n.id and c.deleted_at is null;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.topology_inputs()
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(string_agg(source || ' ' || inputs, ',' order by source), '') from topology_versions where inputs > 0
$function$
;

CREATE OR REPLACE FUNCTION public.topology_schedule()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.schedule := new.spec ->> 'schedule';
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.topology_shown()
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select md5(coalesce(string_agg(source || ' ' || shown || ' ' || extract(epoch from changed_at), ',' order by source), ''))
    from topology_versions
$function$
;

CREATE OR REPLACE FUNCTION public.topology_touch()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if (select count(*) from changed) > 0 then perform touch_topology(tg_argv[0]::boolean); end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.touch_topology(is_input boolean)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  insert into topology_versions as v (source, inputs, shown) values (pg_backend_pid(), is_input::int, 1)
  on conflict (source) do update set inputs = v.inputs + excluded.inputs, shown = v.shown + 1, changed_at = now()
$function$
;

CREATE OR REPLACE FUNCTION public.touch_updated_at()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- A change of the key changes how secrets are written, and nothing that anybody has done.
  if current_setting('mainstay.keeps_times', true) = 'on' then return new; end if;
  new.updated_at := now();
  return new;
end $function$
;

CREATE OR REPLACE PROCEDURE public.touches_topology(IN of_table text, IN is_input boolean)
 LANGUAGE plpgsql
AS $procedure$
declare
  verb text;
begin
  foreach verb in array array['insert', 'update', 'delete'] loop
    execute format(
      'create trigger touches_topology_%1$s after %1$s on %2$I referencing %3$s table as changed for each statement execute function topology_touch(%4$L)',
      verb, of_table, case verb when 'delete' then 'old' else 'new' end, is_input);
  end loop;
end $procedure$
;

CREATE OR REPLACE FUNCTION public.type_change_sums()
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  many bigint;
begin
  with untyped as materialized (
    select s.config_id, i.type from config_change_sums s join config_items i on i.id = s.config_id
     where s.type is null order by s.config_id limit 10000
       for update of s skip locked for share of i skip locked
  )
  update config_change_sums s set type = u.type from untyped u where s.config_id = u.config_id;
  get diagnostics many = row_count;
  return many;
end $function$
;

CREATE OR REPLACE FUNCTION public.walk_config_relationships(config_id uuid, type_filter text, max_depth integer, incoming_relation text, outgoing_relation text, max_nodes integer)
 RETURNS TABLE(id uuid, related_id uuid, relation_type text, direction text, depth integer, is_cut boolean)
 LANGUAGE plpgsql
 STABLE
AS $function$
#variable_conflict use_column
declare
  ties_each constant int := 25;
  way text;
  level int;
  frontier uuid[];
  been uuid[];
  starts uuid[];
  ends uuid[];
  relations text[];
  next uuid[];
  most_ties bigint := max_nodes::bigint * ties_each;
begin
  if type_filter not in ('outgoing', 'incoming', 'all', '') then
    raise exception 'type_filter is "%": it is one of outgoing, incoming and all', type_filter using errcode = '22023';
  end if;
  if max_nodes < 1 then
    raise exception 'max_nodes is %: it is 1 or more', max_nodes using errcode = '22023';
  end if;
  foreach way in array array['outgoing', 'incoming'] loop
    continue when type_filter in ('outgoing', 'incoming') and type_filter <> way;
    level := 0;
    frontier := array[$1];
    been := frontier;
    while level < least(max_depth, 64) and cardinality(frontier) > 0 loop
      level := level + 1;
      -- Joined, and not compared with `any`: what is planned for any array goes through all ties with each of its elements.
      if way = 'outgoing' then
        select array_agg(e.config_id), array_agg(e.related_id), array_agg(e.relation) into starts, ends, relations from (
          select r.config_id, r.related_id, r.relation from unnest(frontier) f (id) join config_relationships r on r.config_id = f.id
           where r.deleted_at is null and (outgoing_relation <> 'hard' or r.relation = 'hard')
           limit most_ties) e;
      else
        select array_agg(e.config_id), array_agg(e.related_id), array_agg(e.relation) into starts, ends, relations from (
          select r.config_id, r.related_id, r.relation from unnest(frontier) f (id) join config_relationships r on r.related_id = f.id
           where r.deleted_at is null and (incoming_relation <> 'hard' or r.relation = 'hard')
           limit most_ties) e;
      end if;
      -- As sets: one by one, ten thousand would be compared with ten thousand.
      next := array(select unnest(case way when 'outgoing' then ends else starts end) except select unnest(been));
      if cardinality(been) + cardinality(next) > max_nodes or cardinality(starts) >= most_ties then
        next := array(select e from unnest(next) e order by e limit greatest(max_nodes - cardinality(been), 0));
        return query select null::uuid, null::uuid, null::text, way, level, true;
        return query select e.s, e.t, e.r, way, level, false from unnest(starts, ends, relations) e (s, t, r)
           where ((case way when 'outgoing' then e.t else e.s end) in (select unnest(been || next))) is true;
      else
        return query select e.s, e.t, e.r, way, level, false from unnest(starts, ends, relations) e (s, t, r);
      end if;
      frontier := next;
      been := been || frontier;
    end loop;
  end loop;
end $function$
;

CREATE TRIGGER announce_delete_of_access_tokens AFTER DELETE ON public.access_tokens REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('person_id', 'access_tokens', 'f', '{}');

CREATE TRIGGER announce_insert_of_access_tokens AFTER INSERT ON public.access_tokens REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('person_id', 'access_tokens', 'f', '{}');

CREATE TRIGGER announce_token_end AFTER DELETE ON public.access_tokens FOR EACH ROW EXECUTE FUNCTION announce_token_end();

CREATE TRIGGER announce_update_of_access_tokens AFTER UPDATE ON public.access_tokens REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('person_id', 'access_tokens', 'f', '{}');

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.access_tokens FOR EACH ROW WHEN (((current_setting('mainstay.actor'::text, true) <> ''::text) AND true)) EXECUTE FUNCTION record_change('id', 'value', 'salt', 'last_used_at');

CREATE TRIGGER keep_updated_at BEFORE UPDATE ON public.artifacts FOR EACH ROW WHEN (((new.* IS DISTINCT FROM old.*) AND (new.deleted_at IS NULL) AND (new.is_pushed = old.is_pushed))) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER reset_is_pushed BEFORE UPDATE ON public.artifacts FOR EACH ROW WHEN ((new.is_pushed AND old.is_pushed AND (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION forget_pushed();

CREATE TRIGGER announce_insert AFTER INSERT ON public.audit_log FOR EACH ROW EXECUTE FUNCTION announce_audit();

CREATE TRIGGER note_resource BEFORE INSERT ON public.audit_log FOR EACH ROW EXECUTE FUNCTION note_resource();

CREATE TRIGGER a_keep_sealed BEFORE UPDATE ON public.canaries FOR EACH ROW WHEN ((new.sealed IS DISTINCT FROM old.sealed)) EXECUTE FUNCTION keep_sealed('sealed');

CREATE TRIGGER announce_delete_of_canaries AFTER DELETE ON public.canaries REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'canaries', 't', '{}');

CREATE TRIGGER announce_insert_of_canaries AFTER INSERT ON public.canaries REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'canaries', 't', '{}');

CREATE TRIGGER announce_update_of_canaries AFTER UPDATE ON public.canaries REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'canaries', 't', '{}');

CREATE TRIGGER canaries_soft_deleted AFTER UPDATE ON public.canaries REFERENCING OLD TABLE AS before NEW TABLE AS now_so FOR EACH STATEMENT EXECUTE FUNCTION canaries_soft_deleted();

CREATE TRIGGER canaries_version AFTER INSERT OR DELETE OR UPDATE ON public.canaries FOR EACH STATEMENT EXECUTE FUNCTION health_documents_changed();

CREATE TRIGGER keep_source BEFORE UPDATE ON public.canaries FOR EACH ROW WHEN (((new.source IS DISTINCT FROM old.source) AND (old.deleted_at IS NULL) AND (COALESCE(NULLIF(old.source, ''::text), 'UI'::text) <> 'UI'::text))) EXECUTE FUNCTION refuse_other_source();

CREATE TRIGGER keep_updated_at BEFORE UPDATE ON public.canaries FOR EACH ROW WHEN ((((new.spec IS DISTINCT FROM old.spec) OR (new.sealed IS DISTINCT FROM old.sealed)) AND (new.deleted_at IS NULL) AND (new.is_pushed = old.is_pushed) AND (new.agent_id = '00000000-0000-0000-0000-000000000000'::uuid))) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.canaries FOR EACH ROW WHEN (((current_setting('mainstay.actor'::text, true) <> ''::text) AND true)) EXECUTE FUNCTION record_change('id', 'updated_at');

CREATE TRIGGER refuse_unsealed AFTER INSERT ON public.canaries FOR EACH ROW EXECUTE FUNCTION refuse_unsealed('sealed');

CREATE TRIGGER reset_is_pushed BEFORE UPDATE ON public.canaries FOR EACH ROW WHEN ((new.is_pushed AND old.is_pushed AND (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION forget_pushed();

CREATE TRIGGER announce_delete_of_people_roles AFTER DELETE ON public.casbin_rule REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('v0', 'people_roles', 'f', '{}');

CREATE TRIGGER announce_insert_of_people_roles AFTER INSERT ON public.casbin_rule REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('v0', 'people_roles', 'f', '{}');

CREATE TRIGGER announce_update_of_people_roles AFTER UPDATE ON public.casbin_rule REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('v0', 'people_roles', 'f', '{}');

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.casbin_rule FOR EACH ROW WHEN (((current_setting('mainstay.actor'::text, true) <> ''::text) AND true)) EXECUTE FUNCTION record_change('id');

CREATE TRIGGER reset_is_pushed BEFORE UPDATE ON public.check_component_relationships FOR EACH ROW WHEN ((new.is_pushed AND old.is_pushed AND (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION forget_pushed();

CREATE TRIGGER touches_topology_delete AFTER DELETE ON public.check_component_relationships REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION topology_touch('t');

CREATE TRIGGER touches_topology_insert AFTER INSERT ON public.check_component_relationships REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION topology_touch('t');

CREATE TRIGGER touches_topology_update AFTER UPDATE ON public.check_component_relationships REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION topology_touch('t');

CREATE TRIGGER reset_is_pushed BEFORE UPDATE ON public.check_config_relationships FOR EACH ROW WHEN ((new.is_pushed AND old.is_pushed AND (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION forget_pushed();

CREATE TRIGGER reset_is_pushed BEFORE UPDATE ON public.check_statuses FOR EACH ROW WHEN ((new.is_pushed AND old.is_pushed AND (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION forget_pushed();

CREATE TRIGGER announce_insert_of_checks AFTER INSERT ON public.checks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'checks', 'true', '{}');

CREATE TRIGGER announce_state_of_checks AFTER UPDATE OF status, deleted_at ON public.checks FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) OR (old.deleted_at IS DISTINCT FROM new.deleted_at))) EXECUTE FUNCTION announce_check();

CREATE TRIGGER announce_update_of_checks AFTER UPDATE OF canary_id, agent_id, type, name, namespace, description, icon, spec, labels, owner, severity, silenced_at ON public.checks FOR EACH ROW WHEN (((((((((((((old.canary_id IS DISTINCT FROM new.canary_id) OR (old.agent_id IS DISTINCT FROM new.agent_id)) OR (old.type IS DISTINCT FROM new.type)) OR (old.name IS DISTINCT FROM new.name)) OR (old.namespace IS DISTINCT FROM new.namespace)) OR (old.description IS DISTINCT FROM new.description)) OR (old.icon IS DISTINCT FROM new.icon)) OR (old.spec IS DISTINCT FROM new.spec)) OR (old.labels IS DISTINCT FROM new.labels)) OR (old.owner IS DISTINCT FROM new.owner)) OR (old.severity IS DISTINCT FROM new.severity)) OR (old.silenced_at IS DISTINCT FROM new.silenced_at))) EXECUTE FUNCTION announce_check();

CREATE TRIGGER check_changed_state AFTER UPDATE OF status ON public.checks FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) AND (new.status = ANY (ARRAY['healthy'::text, 'unhealthy'::text])))) EXECUTE FUNCTION check_changed_state();

CREATE TRIGGER check_soft_deleted AFTER UPDATE OF deleted_at ON public.checks FOR EACH ROW WHEN (((old.deleted_at IS NULL) AND (new.deleted_at IS NOT NULL))) EXECUTE FUNCTION check_soft_deleted();

CREATE TRIGGER check_transition BEFORE UPDATE ON public.checks FOR EACH ROW WHEN ((new.status IS DISTINCT FROM old.status)) EXECUTE FUNCTION check_transition();

CREATE TRIGGER checks_touch_topology AFTER UPDATE OF status, deleted_at ON public.checks FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) OR ((old.deleted_at IS NULL) IS DISTINCT FROM (new.deleted_at IS NULL)))) EXECUTE FUNCTION checks_touch_topology();

CREATE TRIGGER checks_version AFTER INSERT OR DELETE OR UPDATE OF canary_id, agent_id, type, name, namespace, description, icon, spec, labels, owner, severity, silenced_at, deleted_at ON public.checks FOR EACH STATEMENT EXECUTE FUNCTION health_documents_changed();

CREATE TRIGGER keep_updated_at BEFORE UPDATE ON public.checks FOR EACH ROW WHEN (((new.* IS DISTINCT FROM old.*) AND (new.deleted_at IS NULL) AND (new.is_pushed = old.is_pushed) AND (new.agent_id = '00000000-0000-0000-0000-000000000000'::uuid))) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER reset_is_pushed BEFORE UPDATE ON public.checks FOR EACH ROW WHEN ((new.is_pushed AND old.is_pushed AND (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION forget_pushed();

CREATE TRIGGER announce_delete_of_topology AFTER DELETE ON public.component_relationships REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('relationship_id', 'topology', 'f', '{}');

CREATE TRIGGER announce_insert_of_topology AFTER INSERT ON public.component_relationships REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('relationship_id', 'topology', 'f', '{}');

CREATE TRIGGER announce_update_of_topology AFTER UPDATE ON public.component_relationships REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('relationship_id', 'topology', 'f', '{}');

CREATE TRIGGER keep_updated_at BEFORE UPDATE ON public.component_relationships FOR EACH ROW WHEN (((new.* IS DISTINCT FROM old.*) AND (new.deleted_at IS NULL) AND (new.is_pushed = old.is_pushed))) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER reset_is_pushed BEFORE UPDATE ON public.component_relationships FOR EACH ROW WHEN ((new.is_pushed AND old.is_pushed AND (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION forget_pushed();

CREATE TRIGGER touches_topology_delete AFTER DELETE ON public.component_relationships REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION topology_touch('t');

CREATE TRIGGER touches_topology_insert AFTER INSERT ON public.component_relationships REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION topology_touch('t');

CREATE TRIGGER touches_topology_update AFTER UPDATE ON public.component_relationships REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION topology_touch('t');

CREATE TRIGGER announce_delete_of_topology AFTER DELETE ON public.components REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'topology', 'f', '{}');

CREATE TRIGGER announce_insert_of_topology AFTER INSERT ON public.components REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'topology', 'f', '{}');

CREATE TRIGGER announce_update_of_topology AFTER UPDATE ON public.components REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'topology', 'f', '{}');

CREATE TRIGGER components_soft_deleted AFTER UPDATE ON public.components REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION components_soft_deleted();

CREATE TRIGGER components_tell_first_states AFTER INSERT ON public.components REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION components_tell_states();

CREATE TRIGGER components_tell_states AFTER UPDATE ON public.components REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION components_tell_states();

CREATE TRIGGER components_touch AFTER UPDATE ON public.components REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION components_touch();

CREATE TRIGGER components_touch_gone AFTER DELETE ON public.components REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION components_touch();

CREATE TRIGGER components_touch_new AFTER INSERT ON public.components REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION components_touch();

CREATE TRIGGER keep_updated_at BEFORE UPDATE ON public.components FOR EACH ROW WHEN (((new.* IS DISTINCT FROM old.*) AND (new.deleted_at IS NULL) AND (new.is_pushed = old.is_pushed) AND (new.agent_id = '00000000-0000-0000-0000-000000000000'::uuid))) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER reset_is_pushed BEFORE UPDATE ON public.components FOR EACH ROW WHEN ((new.is_pushed AND old.is_pushed AND (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION forget_pushed();

CREATE TRIGGER announce_delete_of_config_analysis AFTER DELETE ON public.config_analysis REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('config_id', 'config_analysis', 'f', '{}');

CREATE TRIGGER announce_insert_of_config_analysis AFTER INSERT ON public.config_analysis REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('config_id', 'config_analysis', 'f', '{}');

CREATE TRIGGER announce_update_of_config_analysis AFTER UPDATE ON public.config_analysis REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('config_id', 'config_analysis', 'f', '{}');

CREATE TRIGGER insights_touch_topology AFTER UPDATE ON public.config_analysis REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insights_touch_topology();

CREATE TRIGGER insights_touch_topology_gone AFTER DELETE ON public.config_analysis REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insights_touch_topology();

CREATE TRIGGER insights_touch_topology_new AFTER INSERT ON public.config_analysis REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insights_touch_topology();

CREATE TRIGGER reset_is_pushed BEFORE UPDATE ON public.config_analysis FOR EACH ROW WHEN ((new.is_pushed AND old.is_pushed AND (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION forget_pushed();

CREATE TRIGGER announce_delete_of_config_changes AFTER DELETE ON public.config_changes REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('config_id', 'config_changes', 'f', '{}');

CREATE TRIGGER announce_insert_of_config_changes AFTER INSERT ON public.config_changes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('config_id', 'config_changes', 'f', '{}');

CREATE TRIGGER announce_update_of_config_changes AFTER UPDATE ON public.config_changes REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('config_id', 'config_changes', 'f', '{}');

CREATE TRIGGER count_changes AFTER UPDATE ON public.config_changes REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_changes();

CREATE TRIGGER count_changes_by_hour AFTER UPDATE ON public.config_changes REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_changes_by_hour();

CREATE TRIGGER count_gone_changes AFTER DELETE ON public.config_changes REFERENCING OLD TABLE AS was FOR EACH STATEMENT EXECUTE FUNCTION count_changes();

CREATE TRIGGER count_gone_changes_by_hour AFTER DELETE ON public.config_changes REFERENCING OLD TABLE AS was FOR EACH STATEMENT EXECUTE FUNCTION count_changes_by_hour();

CREATE TRIGGER count_new_changes AFTER INSERT ON public.config_changes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_changes();

CREATE TRIGGER count_new_changes_by_hour AFTER INSERT ON public.config_changes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_changes_by_hour();

CREATE TRIGGER reset_is_pushed BEFORE UPDATE ON public.config_changes FOR EACH ROW WHEN ((new.is_pushed AND old.is_pushed AND (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION forget_pushed();

CREATE TRIGGER tell_of_changes AFTER UPDATE ON public.config_changes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_of_changes();

CREATE TRIGGER tell_of_new_changes AFTER INSERT ON public.config_changes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_of_changes();

CREATE TRIGGER announce_delete_of_config_component_relationships AFTER DELETE ON public.config_component_relationships REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('config_id', 'config_component_relationships', 'f', '{}');

CREATE TRIGGER announce_insert_of_config_component_relationships AFTER INSERT ON public.config_component_relationships REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('config_id', 'config_component_relationships', 'f', '{}');

CREATE TRIGGER announce_update_of_config_component_relationships AFTER UPDATE ON public.config_component_relationships REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('config_id', 'config_component_relationships', 'f', '{}');

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.config_component_relationships FOR EACH ROW WHEN (((current_setting('mainstay.actor'::text, true) <> ''::text) AND true)) EXECUTE FUNCTION record_change('config_id', 'updated_at');

CREATE TRIGGER reset_is_pushed BEFORE UPDATE ON public.config_component_relationships FOR EACH ROW WHEN ((new.is_pushed AND old.is_pushed AND (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION forget_pushed();

CREATE TRIGGER touches_topology_delete AFTER DELETE ON public.config_component_relationships REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION topology_touch('t');

CREATE TRIGGER touches_topology_insert AFTER INSERT ON public.config_component_relationships REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION topology_touch('t');

CREATE TRIGGER touches_topology_update AFTER UPDATE ON public.config_component_relationships REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION topology_touch('t');

CREATE TRIGGER announce_delete_of_config_items AFTER DELETE ON public.config_items REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'config_items', 't', '{}');

CREATE TRIGGER announce_insert_of_config_items AFTER INSERT ON public.config_items REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'config_items', 't', '{}');

CREATE TRIGGER announce_update_of_config_items AFTER UPDATE ON public.config_items REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'config_items', 't', '{}');

CREATE TRIGGER count_facets AFTER UPDATE ON public.config_items REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_facets();

CREATE TRIGGER count_gone_facets AFTER DELETE ON public.config_items REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_facets();

CREATE TRIGGER count_new_facets AFTER INSERT ON public.config_items REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_facets();

CREATE TRIGGER items_touch_topology AFTER UPDATE OF deleted_at ON public.config_items FOR EACH ROW WHEN (((old.deleted_at IS NULL) IS DISTINCT FROM (new.deleted_at IS NULL))) EXECUTE FUNCTION items_touch_topology();

CREATE TRIGGER keep_changed_owners AFTER UPDATE OF labels, tags, config, properties ON public.config_items FOR EACH ROW WHEN (((((new.labels IS DISTINCT FROM old.labels) OR (new.tags IS DISTINCT FROM old.tags)) OR (new.properties IS DISTINCT FROM old.properties)) OR ((new.config #> '{metadata,annotations}'::text[]) IS DISTINCT FROM (old.config #> '{metadata,annotations}'::text[])))) EXECUTE FUNCTION keep_changed_owners();

CREATE TRIGGER keep_changed_tag_set AFTER UPDATE OF tags ON public.config_items FOR EACH ROW WHEN ((new.tags IS DISTINCT FROM old.tags)) EXECUTE FUNCTION keep_changed_tag_set();

CREATE TRIGGER keep_owners AFTER INSERT ON public.config_items REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_owners();

CREATE TRIGGER keep_tag_sets AFTER INSERT ON public.config_items REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_tag_sets();

CREATE TRIGGER keep_updated_at BEFORE UPDATE ON public.config_items FOR EACH ROW WHEN (((new.config IS DISTINCT FROM old.config) AND (new.deleted_at IS NULL) AND (new.is_pushed = old.is_pushed) AND (new.agent_id = '00000000-0000-0000-0000-000000000000'::uuid))) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER name_config_item BEFORE INSERT ON public.config_items FOR EACH ROW WHEN ((COALESCE(new.name, ''::text) = ''::text)) EXECUTE FUNCTION name_config_item();

CREATE TRIGGER relate_new_to_parents AFTER INSERT ON public.config_items REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION relate_to_parents();

CREATE TRIGGER relate_to_parents AFTER UPDATE ON public.config_items REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION relate_to_parents();

CREATE TRIGGER reset_is_pushed BEFORE UPDATE ON public.config_items FOR EACH ROW WHEN ((new.is_pushed AND old.is_pushed AND (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION forget_pushed();

CREATE TRIGGER sums_follow_type AFTER UPDATE OF type ON public.config_items FOR EACH ROW WHEN ((new.type IS DISTINCT FROM old.type)) EXECUTE FUNCTION sums_follow_type();

CREATE TRIGGER tell_of_items AFTER UPDATE ON public.config_items REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_of_items();

CREATE TRIGGER tell_of_new_items AFTER INSERT ON public.config_items REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_of_items();

CREATE TRIGGER announce_delete_of_config_notes AFTER DELETE ON public.config_notes REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('config_id', 'config_notes', 'f', '{}');

CREATE TRIGGER announce_insert_of_config_notes AFTER INSERT ON public.config_notes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('config_id', 'config_notes', 'f', '{}');

CREATE TRIGGER announce_update_of_config_notes AFTER UPDATE ON public.config_notes REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('config_id', 'config_notes', 'f', '{}');

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.config_notes FOR EACH ROW WHEN (((current_setting('mainstay.actor'::text, true) <> ''::text) AND true)) EXECUTE FUNCTION record_change('id', 'updated_at');

CREATE TRIGGER announce_delete_of_config_relationships AFTER DELETE ON public.config_relationships REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('config_id', 'config_relationships', 'f', '{}');

CREATE TRIGGER announce_insert_of_config_relationships AFTER INSERT ON public.config_relationships REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('config_id', 'config_relationships', 'f', '{}');

CREATE TRIGGER announce_update_of_config_relationships AFTER UPDATE ON public.config_relationships REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('config_id', 'config_relationships', 'f', '{}');

CREATE TRIGGER reset_is_pushed BEFORE UPDATE ON public.config_relationships FOR EACH ROW WHEN ((new.is_pushed AND old.is_pushed AND (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION forget_pushed();

CREATE TRIGGER a_keep_sealed BEFORE UPDATE ON public.config_scrapers FOR EACH ROW WHEN ((new.sealed IS DISTINCT FROM old.sealed)) EXECUTE FUNCTION keep_sealed('sealed');

CREATE TRIGGER announce_delete_of_config_scrapers AFTER DELETE ON public.config_scrapers REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'config_scrapers', 't', '{}');

CREATE TRIGGER announce_insert_of_config_scrapers AFTER INSERT ON public.config_scrapers REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'config_scrapers', 't', '{}');

CREATE TRIGGER announce_update_of_config_scrapers AFTER UPDATE ON public.config_scrapers REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'config_scrapers', 't', '{}');

CREATE TRIGGER keep_in_console BEFORE INSERT ON public.config_scrapers FOR EACH ROW WHEN ((new.source IS NULL)) EXECUTE FUNCTION keep_in_console();

CREATE TRIGGER keep_source BEFORE UPDATE ON public.config_scrapers FOR EACH ROW WHEN (((new.source IS DISTINCT FROM old.source) AND (old.deleted_at IS NULL) AND (COALESCE(NULLIF((old.source)::text, ''::text), 'UI'::text) <> 'UI'::text))) EXECUTE FUNCTION refuse_other_source();

CREATE TRIGGER keep_updated_at BEFORE UPDATE ON public.config_scrapers FOR EACH ROW WHEN (((new.* IS DISTINCT FROM old.*) AND (new.deleted_at IS NULL) AND (new.is_pushed = old.is_pushed) AND (new.agent_id = '00000000-0000-0000-0000-000000000000'::uuid))) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.config_scrapers FOR EACH ROW WHEN (((current_setting('mainstay.actor'::text, true) <> ''::text) AND true)) EXECUTE FUNCTION record_change('id', 'updated_at');

CREATE TRIGGER refuse_unsealed AFTER INSERT ON public.config_scrapers FOR EACH ROW EXECUTE FUNCTION refuse_unsealed('sealed');

CREATE TRIGGER reset_is_pushed BEFORE UPDATE ON public.config_scrapers FOR EACH ROW WHEN ((new.is_pushed AND old.is_pushed AND (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION forget_pushed();

CREATE TRIGGER scrapers_soft_deleted AFTER UPDATE ON public.config_scrapers REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION scrapers_soft_deleted();

CREATE TRIGGER a_a_keep_secrets_in_place BEFORE UPDATE ON public.connections FOR EACH ROW WHEN ((((new.name IS DISTINCT FROM old.name) OR (new.namespace IS DISTINCT FROM old.namespace)) AND (new.url ~ '\{\{|\$\(\.?(name|namespace)\)'::text))) EXECUTE FUNCTION keep_secrets_in_place();

CREATE TRIGGER a_keep_sealed BEFORE UPDATE ON public.connections FOR EACH ROW WHEN ((new.sealed IS DISTINCT FROM old.sealed)) EXECUTE FUNCTION keep_sealed('sealed');

CREATE TRIGGER a_keep_shown_username BEFORE UPDATE ON public.connections FOR EACH ROW WHEN (((new.username = ANY (ARRAY['***'::text, '********'::text])) AND (NOT (new.sealed ? 'username'::text)))) EXECUTE FUNCTION keep_shown_username();

CREATE TRIGGER announce_delete_of_connections AFTER DELETE ON public.connections REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'connections', 't', '{}');

CREATE TRIGGER announce_insert_of_connections AFTER INSERT ON public.connections REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'connections', 't', '{}');

CREATE TRIGGER announce_update_of_connections AFTER UPDATE ON public.connections REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'connections', 't', '{}');

CREATE TRIGGER keep_source BEFORE UPDATE ON public.connections FOR EACH ROW WHEN (((new.source IS DISTINCT FROM old.source) AND (old.deleted_at IS NULL) AND (COALESCE(NULLIF((old.source)::text, ''::text), 'UI'::text) <> 'UI'::text))) EXECUTE FUNCTION refuse_other_source();

CREATE TRIGGER keep_updated_at BEFORE UPDATE ON public.connections FOR EACH ROW WHEN (((new.* IS DISTINCT FROM old.*) AND (new.deleted_at IS NULL))) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.connections FOR EACH ROW WHEN (((current_setting('mainstay.actor'::text, true) <> ''::text) AND true)) EXECUTE FUNCTION record_change('id', 'updated_at');

CREATE TRIGGER refuse_unsealed AFTER INSERT ON public.connections FOR EACH ROW EXECUTE FUNCTION refuse_unsealed('sealed');

CREATE TRIGGER event_queue_announce_new AFTER INSERT ON public.event_queue FOR EACH ROW EXECUTE FUNCTION notify_event_queue();

CREATE TRIGGER event_queue_announce_rearmed AFTER UPDATE ON public.event_queue FOR EACH ROW WHEN ((new.created_at IS DISTINCT FROM old.created_at)) EXECUTE FUNCTION notify_event_queue();

CREATE TRIGGER announce_delete_of_identities AFTER DELETE ON public.identities REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'identities', 't', '{}');

CREATE TRIGGER announce_insert_of_identities AFTER INSERT ON public.identities REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'identities', 't', '{}');

CREATE TRIGGER announce_update_of_identities AFTER UPDATE ON public.identities REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'identities', 't', '{}');

CREATE TRIGGER identity_to_address AFTER INSERT OR UPDATE OF traits ON public.identities FOR EACH ROW EXECUTE FUNCTION identity_to_address();

CREATE TRIGGER identity_to_person AFTER INSERT OR DELETE OR UPDATE OF traits ON public.identities FOR EACH ROW EXECUTE FUNCTION identity_to_person();

CREATE TRIGGER record_change AFTER UPDATE OF state ON public.identities FOR EACH ROW WHEN (((current_setting('mainstay.actor'::text, true) <> ''::text) AND true)) EXECUTE FUNCTION record_change('id', 'updated_at', 'state_changed_at', 'first_sign_in_at', 'traits', 'metadata_admin');

CREATE TRIGGER record_change AFTER INSERT ON public.identity_codes FOR EACH ROW WHEN (((current_setting('mainstay.actor'::text, true) <> ''::text) AND (new.flow_id IS NULL))) EXECUTE FUNCTION record_change('identity_id', 'id', 'flow_id', 'identity_id', 'address', 'secret_hash', 'issued_at', 'used_at');

CREATE TRIGGER record_change AFTER INSERT OR DELETE ON public.identity_credentials FOR EACH ROW WHEN (((current_setting('mainstay.actor'::text, true) <> ''::text) AND true)) EXECUTE FUNCTION record_change('identity_id', 'id', 'config', 'created_at', 'updated_at');

CREATE TRIGGER record_change AFTER INSERT OR DELETE ON public.identity_keys FOR EACH ROW WHEN (((current_setting('mainstay.actor'::text, true) <> ''::text) AND true)) EXECUTE FUNCTION record_change('identity_id', 'credential_id', 'public_key', 'counter', 'transports', 'created_at', 'last_used_at');

CREATE TRIGGER announce_sign_out AFTER UPDATE OF active ON public.identity_sessions FOR EACH ROW WHEN ((old.active AND (NOT new.active))) EXECUTE FUNCTION announce_sign_out();

CREATE TRIGGER count_log_lines AFTER INSERT ON public.log_lines REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION count_log_lines();

CREATE TRIGGER a_keep_sealed BEFORE UPDATE ON public.logging_backends FOR EACH ROW WHEN ((new.sealed IS DISTINCT FROM old.sealed)) EXECUTE FUNCTION keep_sealed('sealed');

CREATE TRIGGER announce_delete_of_logging_backends AFTER DELETE ON public.logging_backends REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'logging_backends', 't', '{}');

CREATE TRIGGER announce_insert_of_logging_backends AFTER INSERT ON public.logging_backends REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'logging_backends', 't', '{}');

CREATE TRIGGER announce_update_of_logging_backends AFTER UPDATE ON public.logging_backends REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'logging_backends', 't', '{}');

CREATE TRIGGER keep_in_console BEFORE INSERT ON public.logging_backends FOR EACH ROW WHEN ((new.source IS NULL)) EXECUTE FUNCTION keep_logging_backend_in_console();

CREATE TRIGGER keep_source BEFORE UPDATE ON public.logging_backends FOR EACH ROW WHEN (((new.source IS DISTINCT FROM old.source) AND (old.deleted_at IS NULL) AND (COALESCE(NULLIF((old.source)::text, ''::text), 'UI'::text) <> 'UI'::text))) EXECUTE FUNCTION refuse_other_source();

CREATE TRIGGER keep_updated_at BEFORE UPDATE ON public.logging_backends FOR EACH ROW WHEN ((((((((new.name IS DISTINCT FROM old.name) OR (new.namespace IS DISTINCT FROM old.namespace)) OR (new.labels IS DISTINCT FROM old.labels)) OR (new.annotations IS DISTINCT FROM old.annotations)) OR (new.spec IS DISTINCT FROM old.spec)) OR (new.sealed IS DISTINCT FROM old.sealed)) AND (new.deleted_at IS NULL) AND (new.agent_id = '00000000-0000-0000-0000-000000000000'::uuid))) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.logging_backends FOR EACH ROW WHEN (((current_setting('mainstay.actor'::text, true) <> ''::text) AND true)) EXECUTE FUNCTION record_change('id', 'updated_at');

CREATE TRIGGER refuse_unsealed AFTER INSERT ON public.logging_backends FOR EACH ROW EXECUTE FUNCTION refuse_unsealed('sealed');

CREATE TRIGGER announce_delete_of_people AFTER DELETE ON public.people REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'people', 't', '{updated_at,last_login}');

CREATE TRIGGER announce_insert_of_people AFTER INSERT ON public.people REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'people', 't', '{updated_at,last_login}');

CREATE TRIGGER announce_update_of_people AFTER UPDATE ON public.people REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'people', 't', '{updated_at,last_login}');

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.people FOR EACH ROW WHEN (((current_setting('mainstay.actor'::text, true) <> ''::text) AND true)) EXECUTE FUNCTION record_change('id', 'updated_at', 'last_login', 'external_id');

CREATE TRIGGER announce_delete_of_properties AFTER DELETE ON public.properties REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('name', 'properties', 't', '{}');

CREATE TRIGGER announce_insert_of_properties AFTER INSERT ON public.properties REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('name', 'properties', 't', '{}');

CREATE TRIGGER announce_update_of_properties AFTER UPDATE ON public.properties REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('name', 'properties', 't', '{}');

CREATE TRIGGER keep_updated_at BEFORE UPDATE ON public.properties FOR EACH ROW WHEN (((new.* IS DISTINCT FROM old.*) AND (new.deleted_at IS NULL))) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.properties FOR EACH ROW WHEN (((current_setting('mainstay.actor'::text, true) <> ''::text) AND true)) EXECUTE FUNCTION record_change('name', 'updated_at');

CREATE TRIGGER announce_delete_of_team_components AFTER DELETE ON public.team_components REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('component_id', 'team_components', 'f', '{}');

CREATE TRIGGER announce_insert_of_team_components AFTER INSERT ON public.team_components REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('component_id', 'team_components', 'f', '{}');

CREATE TRIGGER announce_update_of_team_components AFTER UPDATE ON public.team_components REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('component_id', 'team_components', 'f', '{}');

CREATE TRIGGER touches_topology_delete AFTER DELETE ON public.team_components REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION topology_touch('f');

CREATE TRIGGER touches_topology_insert AFTER INSERT ON public.team_components REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION topology_touch('f');

CREATE TRIGGER touches_topology_update AFTER UPDATE ON public.team_components REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION topology_touch('f');

CREATE TRIGGER announce_delete_of_team_members AFTER DELETE ON public.team_members REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('team_id', 'team_members', 'f', '{}');

CREATE TRIGGER announce_insert_of_team_members AFTER INSERT ON public.team_members REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('team_id', 'team_members', 'f', '{}');

CREATE TRIGGER announce_update_of_team_members AFTER UPDATE ON public.team_members REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('team_id', 'team_members', 'f', '{}');

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.team_members FOR EACH ROW WHEN (((current_setting('mainstay.actor'::text, true) <> ''::text) AND true)) EXECUTE FUNCTION record_change('team_id');

CREATE TRIGGER announce_delete_of_teams AFTER DELETE ON public.teams REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'teams', 't', '{}');

CREATE TRIGGER announce_insert_of_teams AFTER INSERT ON public.teams REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'teams', 't', '{}');

CREATE TRIGGER announce_update_of_teams AFTER UPDATE ON public.teams REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'teams', 't', '{}');

CREATE TRIGGER keep_updated_at BEFORE UPDATE ON public.teams FOR EACH ROW WHEN (((new.* IS DISTINCT FROM old.*) AND (new.deleted_at IS NULL))) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.teams FOR EACH ROW WHEN (((current_setting('mainstay.actor'::text, true) <> ''::text) AND true)) EXECUTE FUNCTION record_change('id', 'updated_at');

CREATE TRIGGER team_components_end AFTER UPDATE ON public.teams REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION team_components_end();

CREATE TRIGGER teams_touch_topology AFTER UPDATE OF name, deleted_at ON public.teams FOR EACH ROW WHEN (((old.name IS DISTINCT FROM new.name) OR (old.deleted_at IS DISTINCT FROM new.deleted_at))) EXECUTE FUNCTION teams_touch_topology();

CREATE TRIGGER a_keep_sealed BEFORE UPDATE ON public.topologies FOR EACH ROW WHEN ((new.sealed IS DISTINCT FROM old.sealed)) EXECUTE FUNCTION keep_sealed('sealed');

CREATE TRIGGER announce_delete_of_topologies AFTER DELETE ON public.topologies REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'topologies', 't', '{}');

CREATE TRIGGER announce_insert_of_topologies AFTER INSERT ON public.topologies REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'topologies', 't', '{}');

CREATE TRIGGER announce_update_of_topologies AFTER UPDATE ON public.topologies REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('id', 'topologies', 't', '{}');

CREATE TRIGGER keep_in_console BEFORE INSERT ON public.topologies FOR EACH ROW WHEN ((new.source IS NULL)) EXECUTE FUNCTION keep_topology_in_console();

CREATE TRIGGER keep_source BEFORE UPDATE ON public.topologies FOR EACH ROW WHEN (((new.source IS DISTINCT FROM old.source) AND (old.deleted_at IS NULL) AND (COALESCE(NULLIF((old.source)::text, ''::text), 'UI'::text) <> 'UI'::text))) EXECUTE FUNCTION refuse_other_source();

CREATE TRIGGER keep_updated_at BEFORE UPDATE ON public.topologies FOR EACH ROW WHEN (((((((((new.name IS DISTINCT FROM old.name) OR (new.namespace IS DISTINCT FROM old.namespace)) OR (new.labels IS DISTINCT FROM old.labels)) OR (new.annotations IS DISTINCT FROM old.annotations)) OR (new.spec IS DISTINCT FROM old.spec)) OR (new.sealed IS DISTINCT FROM old.sealed)) OR (new.schedule IS DISTINCT FROM old.schedule)) AND (new.deleted_at IS NULL) AND (new.is_pushed = old.is_pushed) AND (new.agent_id = '00000000-0000-0000-0000-000000000000'::uuid))) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER record_change AFTER INSERT OR DELETE OR UPDATE ON public.topologies FOR EACH ROW WHEN (((current_setting('mainstay.actor'::text, true) <> ''::text) AND true)) EXECUTE FUNCTION record_change('id', 'updated_at');

CREATE TRIGGER refuse_unsealed AFTER INSERT ON public.topologies FOR EACH ROW EXECUTE FUNCTION refuse_unsealed('sealed');

CREATE TRIGGER reset_is_pushed BEFORE UPDATE ON public.topologies FOR EACH ROW WHEN ((new.is_pushed AND old.is_pushed AND (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION forget_pushed();

CREATE TRIGGER topologies_soft_deleted AFTER UPDATE ON public.topologies REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION topologies_soft_deleted();

CREATE TRIGGER topology_schedule BEFORE INSERT OR UPDATE OF spec ON public.topologies FOR EACH ROW EXECUTE FUNCTION topology_schedule();

CREATE TRIGGER announce_delete_of_identities AFTER DELETE ON public.unmailed_invitations REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('identity_id', 'identities', 'f', '{}');

CREATE TRIGGER announce_insert_of_identities AFTER INSERT ON public.unmailed_invitations REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('identity_id', 'identities', 'f', '{}');

CREATE TRIGGER announce_update_of_identities AFTER UPDATE ON public.unmailed_invitations REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_change('identity_id', 'identities', 'f', '{}');

create view analysis_by_component as
 SELECT a.config_id,
    i.name,
    i.config_class,
    i.type,
    a.analysis_type,
    a.first_observed,
    a.last_observed,
    a.created_by,
    a.id AS analysis_id,
    a.severity,
    r.component_id
   FROM config_analysis a
     JOIN config_component_relationships r ON r.config_id = a.config_id AND r.deleted_at IS NULL
     JOIN config_items i ON i.id = a.config_id AND i.deleted_at IS NULL
  WHERE a.status = 'open'::text
  ORDER BY (array_position(ARRAY['critical'::text, 'blocker'::text, 'high'::text, 'medium'::text, 'low'::text, 'info'::text], lower(a.severity))), i.name;

create view analysis_by_config as
 SELECT config_id AS id,
    jsonb_object_agg(analysis_type, severities) AS analysis
   FROM ( SELECT counted.config_id,
            counted.analysis_type,
            jsonb_object_agg(counted.severity, counted.n) AS severities
           FROM ( SELECT config_analysis.config_id,
                    COALESCE(config_analysis.analysis_type, 'other'::text) AS analysis_type,
                    COALESCE(config_analysis.severity, 'info'::text) AS severity,
                    count(*) AS n
                   FROM config_analysis
                  WHERE config_analysis.status <> 'resolved'::text
                  GROUP BY config_analysis.config_id, (COALESCE(config_analysis.analysis_type, 'other'::text)), (COALESCE(config_analysis.severity, 'info'::text))) counted
          GROUP BY counted.config_id, counted.analysis_type) typed
  GROUP BY config_id;

create view analysis_summary_by_component as
 SELECT component_id AS id,
    jsonb_object_agg(analysis_type, severities) AS analysis
   FROM ( SELECT counted.component_id,
            counted.analysis_type,
            jsonb_object_agg(counted.severity, counted.n) AS severities
           FROM ( SELECT r.component_id,
                    COALESCE(a.analysis_type, 'other'::text) AS analysis_type,
                    COALESCE(a.severity, 'info'::text) AS severity,
                    count(*) AS n
                   FROM config_analysis a
                     JOIN config_component_relationships r ON r.config_id = a.config_id AND r.deleted_at IS NULL
                     JOIN config_items i ON i.id = a.config_id AND i.deleted_at IS NULL
                  GROUP BY r.component_id, (COALESCE(a.analysis_type, 'other'::text)), (COALESCE(a.severity, 'info'::text))) counted
          GROUP BY counted.component_id, counted.analysis_type) typed
  GROUP BY component_id;

create view analysis_types as
 SELECT DISTINCT analysis_type
   FROM config_analysis
  WHERE analysis_type IS NOT NULL
  ORDER BY analysis_type;

create view analyzer_types as
 SELECT DISTINCT analyzer
   FROM config_analysis
  ORDER BY analyzer;

create view audit_entries as
 SELECT a.id,
    a.created_at,
    a.actor_id,
    a.actor_name,
    a.address,
    a.request_id,
    a.verb,
    a.table_name,
    a.row_id,
    a.before,
    a.after,
    a.token_name,
    a.resource_type,
    a.resource_id,
    NOT (EXISTS ( SELECT
           FROM audit_log b
          WHERE b.actor_id = a.actor_id AND b.created_at = a.created_at AND NOT b.request_id IS DISTINCT FROM a.request_id AND b.id < a.id)) AS is_first,
    s.name AS resource_name,
        CASE
            WHEN s.member_kind IS NULL THEN ''::text
            ELSE ( SELECT n.name || ' in '::text
               FROM resource_names n
              WHERE n.kind = s.member_kind AND n.id = s.member_id)
        END || COALESCE(s.name, a.after ->> 'name'::text, a.before ->> 'name'::text, a.row_id) AS row_name
   FROM audit_log a
     CROSS JOIN LATERAL ( SELECT ( SELECT COALESCE(n.namespace || '/'::text, ''::text) || n.name
                   FROM resource_names n
                  WHERE n.kind = a.resource_type AND n.id = a.resource_id) AS name,
            member_kind_of_row(a.table_name) AS member_kind,
            as_id(member_id_of_row(a.table_name, COALESCE(a.after, a.before))) AS member_id
         OFFSET 0) s;

create view canaries_with_status as
 SELECT c.id,
    c.name,
    c.namespace,
    c.spec ->> 'interval'::text AS "interval",
    ( SELECT s.schedule
           FROM schedules s
          WHERE s.kind = 'canary'::text AND s.key = c.id::text) AS schedule,
    c.labels,
    c.source,
    c.created_by,
    c.created_at,
    c.updated_at,
    c.deleted_at,
    ( SELECT max(k.last_runtime) AS max
           FROM checks k
          WHERE k.canary_id = c.id) AS last_runtime,
    j.name AS job_name,
    j.success_count AS job_success_count,
    j.error_count AS job_error_count,
    j.details AS job_details,
    j.hostname AS job_hostname,
    j.duration_millis AS job_duration_millis,
    j.resource_type AS job_resource_type,
    j.status AS job_status,
    j.time_start AS job_time_start,
    j.time_end AS job_time_end,
    j.created_at AS job_created_at,
    ( SELECT max(COALESCE(f.failed_at, f.time_start)) AS max
           FROM job_history f
          WHERE f.resource_id = c.id::text AND (f.status = 'FAILED'::text OR f.failed_at IS NOT NULL)) AS job_last_failed,
    json_build_object('id', a.id, 'name', a.name) AS agent
   FROM canaries c
     LEFT JOIN agents a ON a.id = c.agent_id
     LEFT JOIN LATERAL ( SELECT h.id,
            h.agent_id,
            h.name,
            h.success_count,
            h.error_count,
            h.details,
            h.hostname,
            h.duration_millis,
            h.resource_type,
            h.resource_id,
            h.status,
            h.time_start,
            h.time_end,
            h.created_at,
            h.is_pushed,
            h.failed_at
           FROM job_history h
          WHERE h.resource_id = c.id::text
          ORDER BY h.created_at DESC, h.id DESC
         LIMIT 1) j ON true
  WHERE c.deleted_at IS NULL;

create view catalog_changes as
 SELECT c.id,
    c.config_id,
    i.name,
    i.type,
    i.tags,
    c.external_created_by,
    c.created_at,
    c.severity,
    c.change_type,
    c.source,
    c.summary,
    c.created_by,
    c.count,
    c.first_observed,
    i.agent_id
   FROM config_changes c
     LEFT JOIN config_items i ON i.id = c.config_id;

create view change_types as
 WITH RECURSIVE types AS (
        ( SELECT config_changes.change_type
           FROM config_changes
          WHERE config_changes.change_type IS NOT NULL
          ORDER BY config_changes.change_type
         LIMIT 1)
        UNION ALL
         SELECT ( SELECT c.change_type
                   FROM config_changes c
                  WHERE c.change_type > types_1.change_type
                  ORDER BY c.change_type
                 LIMIT 1) AS change_type
           FROM types types_1
          WHERE types_1.change_type IS NOT NULL
        )
 SELECT change_type
   FROM types
  WHERE change_type IS NOT NULL;

create view changes_by_component as
 SELECT c.id,
    c.config_id,
    i.name,
    i.config_class,
    i.type,
    c.change_type,
    c.created_at,
    c.created_by,
    c.id AS change_id,
    c.severity,
    r.component_id,
    i.deleted_at AS config_deleted_at,
    c.summary
   FROM config_changes c
     JOIN config_component_relationships r ON r.config_id = c.config_id AND r.deleted_at IS NULL
     JOIN config_items i ON i.id = c.config_id
  ORDER BY c.created_at DESC;

create view check_labels as
 SELECT DISTINCT l.key,
    l.value
   FROM checks,
    LATERAL jsonb_each_text(checks.labels) l(key, value)
  WHERE jsonb_typeof(checks.labels) = 'object'::text;

create view check_names as
 SELECT id,
    canary_id,
    type,
    name,
        CASE
            WHEN result_due < now() THEN 'unknown'::text
            ELSE status
        END AS status
   FROM checks
  WHERE deleted_at IS NULL AND silenced_at IS NULL
  ORDER BY name;

create view check_status_summary as
 SELECT check_status_summary_hour.check_id,
    check_status_summary_hour.p99,
    check_status_summary_hour.p95,
    check_status_summary_hour.p50,
    check_status_summary_hour.mean,
    check_status_summary_hour.passed,
    check_status_summary_hour.failed,
    check_status_summary_hour.last_check,
    check_status_summary_hour.last_pass,
    check_status_summary_hour.last_fail
   FROM check_status_summary_hour
UNION ALL
 SELECT t.check_id,
    l.duration AS p99,
    l.duration AS p95,
    l.duration AS p50,
    l.duration AS mean,
    l.status::integer AS passed,
    (NOT l.status)::integer AS failed,
    t.last_time AS last_check,
    t.last_pass,
    t.last_fail
   FROM check_totals t
     JOIN checks c ON c.id = t.check_id AND c.deleted_at IS NULL
     CROSS JOIN LATERAL ( SELECT s.duration,
            s.status
           FROM check_statuses s
          WHERE s.check_id = t.check_id AND s.status IS NOT NULL
          ORDER BY s."time" DESC
         LIMIT 1) l
  WHERE t.last_time <= (now() - '01:00:00'::interval);

create view check_status_summary_hour as
 SELECT check_id,
    percentile_disc(0.99::double precision) WITHIN GROUP (ORDER BY duration) AS p99,
    percentile_disc(0.95::double precision) WITHIN GROUP (ORDER BY duration) AS p95,
    percentile_disc(0.5::double precision) WITHIN GROUP (ORDER BY duration) AS p50,
    avg(duration) AS mean,
    count(*) FILTER (WHERE status) AS passed,
    count(*) FILTER (WHERE NOT status) AS failed,
    max("time") AS last_check,
    max("time") FILTER (WHERE status) AS last_pass,
    max("time") FILTER (WHERE NOT status) AS last_fail
   FROM check_statuses
  WHERE "time" > (now() - '01:00:00'::interval) AND status IS NOT NULL
  GROUP BY check_id;

create view check_statuses_1d as
 SELECT s.check_id,
    s."time" AS created_at,
    lead(s.duration, 1, t.duration) OVER w - s.duration AS duration,
    (lead(s.passed + s.failed, 1, t.passed + t.failed) OVER w - s.passed - s.failed)::integer AS total,
    (lead(s.passed, 1, t.passed) OVER w - s.passed)::integer AS passed,
    (lead(s.failed, 1, t.failed) OVER w - s.failed)::integer AS failed
   FROM check_totals_1d s
     JOIN check_totals t ON t.check_id = s.check_id
  WINDOW w AS (PARTITION BY s.check_id ORDER BY s."time");

create view check_statuses_1h as
 SELECT s.check_id,
    s."time" AS created_at,
    lead(s.duration, 1, t.duration) OVER w - s.duration AS duration,
    (lead(s.passed + s.failed, 1, t.passed + t.failed) OVER w - s.passed - s.failed)::integer AS total,
    (lead(s.passed, 1, t.passed) OVER w - s.passed)::integer AS passed,
    (lead(s.failed, 1, t.failed) OVER w - s.failed)::integer AS failed
   FROM check_totals_1h s
     JOIN check_totals t ON t.check_id = s.check_id
  WINDOW w AS (PARTITION BY s.check_id ORDER BY s."time");

create view check_statuses_5m as
 SELECT s.check_id,
    s."time" AS created_at,
    lead(s.passed + s.failed, 1, t.passed + t.failed) OVER w - s.passed - s.failed AS total_checks,
    lead(s.passed, 1, t.passed) OVER w - s.passed AS passed,
    lead(s.failed, 1, t.failed) OVER w - s.failed AS failed,
    lead(s.duration, 1, t.duration) OVER w - s.duration AS total_duration
   FROM check_totals_5m s
     JOIN check_totals t ON t.check_id = s.check_id
  WHERE s."time" > (now() - '1 day'::interval)
  WINDOW w AS (PARTITION BY s.check_id ORDER BY s."time");

create view check_summary as
 SELECT c.id,
    c.canary_id,
    json_build_object('passed', s.passed, 'failed', s.failed, 'last_pass', s.last_pass, 'last_fail', s.last_fail) AS uptime,
    json_build_object('p99', s.p99, 'p95', s.p95, 'p50', s.p50, 'avg', s.mean) AS latency,
    c.last_transition_time,
    c.type,
    c.icon,
    c.name,
        CASE
            WHEN c.result_due < now() THEN 'unknown'::text
            ELSE c.status
        END AS status,
    c.description,
    c.namespace,
    y.namespace AS canary_namespace,
    y.name AS canary_name,
    COALESCE(y.labels, '{}'::jsonb) || COALESCE(c.labels, '{}'::jsonb) AS labels,
    c.severity,
    c.owner,
    c.last_runtime,
    c.created_at,
    c.updated_at,
    c.deleted_at,
    c.silenced_at
   FROM checks c
     JOIN canaries y ON y.id = c.canary_id
     LEFT JOIN LATERAL ( SELECT o.check_id,
            o.p99,
            o.p95,
            o.p50,
            o.mean,
            o.passed,
            o.failed,
            o.last_check,
            o.last_pass,
            o.last_fail
           FROM check_status_summary o
          WHERE o.check_id = c.id
         OFFSET 0) s ON true;

create view check_summary_by_component as
 SELECT component_id,
    json_object_agg(COALESCE(status, 'unknown'::text), count) AS checks
   FROM ( SELECT checks_by_component.component_id,
            checks_by_component.status,
            count(*) AS count
           FROM checks_by_component
          GROUP BY checks_by_component.component_id, checks_by_component.status) s
  GROUP BY component_id;

create view check_summary_by_config as
 SELECT config_id,
    json_object_agg(COALESCE(status, 'unknown'::text), count) AS checks
   FROM ( SELECT checks_by_config.config_id,
            checks_by_config.status,
            count(*) AS count
           FROM checks_by_config
          GROUP BY checks_by_config.config_id, checks_by_config.status) s
  GROUP BY config_id;

create view check_summary_for_config as
 SELECT r.config_id,
    s.id,
    s.canary_id,
    s.uptime,
    s.latency,
    s.last_transition_time,
    s.type,
    s.icon,
    s.name,
    s.status,
    s.description,
    s.namespace,
    s.canary_namespace,
    s.canary_name,
    s.labels,
    s.severity,
    s.owner,
    s.last_runtime,
    s.created_at,
    s.updated_at,
    s.deleted_at,
    s.silenced_at
   FROM check_config_relationships r
     JOIN check_summary s ON s.id = r.check_id
  WHERE r.deleted_at IS NULL AND NOT (EXISTS ( SELECT
           FROM check_config_relationships o
          WHERE o.config_id = r.config_id AND o.check_id = r.check_id AND o.deleted_at IS NULL AND ((ROW(o.canary_id, COALESCE(o.selector_id, ''::text)) < ROW(r.canary_id, COALESCE(r.selector_id, ''::text))))));

create view checks_by_component as
 SELECT DISTINCT r.component_id,
    c.id,
    c.type,
    c.name,
    c.severity,
        CASE
            WHEN c.result_due < now() THEN 'unknown'::text
            ELSE c.status
        END AS status
   FROM check_component_relationships r
     JOIN checks c ON c.id = r.check_id
  WHERE r.deleted_at IS NULL;

create view checks_by_config as
 SELECT r.config_id,
    c.id,
    c.type,
    c.name,
    c.severity,
        CASE
            WHEN c.result_due < now() THEN 'unknown'::text
            ELSE c.status
        END AS status,
    c.icon,
    c.last_runtime
   FROM check_config_relationships r
     JOIN checks c ON c.id = r.check_id
  WHERE r.deleted_at IS NULL AND NOT (EXISTS ( SELECT
           FROM check_config_relationships o
          WHERE o.config_id = r.config_id AND o.check_id = r.check_id AND o.deleted_at IS NULL AND ((ROW(o.canary_id, COALESCE(o.selector_id, ''::text)) < ROW(r.canary_id, COALESCE(r.selector_id, ''::text))))));

create view checks_status_artifacts as
 SELECT check_id,
    status AS check_status,
    message AS check_message,
    error,
    invalid,
    "time",
    duration,
    COALESCE(( SELECT json_agg(json_build_object('id', a.id, 'name', a.filename, 'size', a.size) ORDER BY a.path, a.id) AS json_agg
           FROM artifacts a
          WHERE a.check_id = s.check_id AND a.check_time = s."time" AND a.deleted_at IS NULL AND (a.expires_at IS NULL OR a.expires_at > now())), '[]'::json) AS artifacts
   FROM check_statuses s;

create view component_labels as
 SELECT DISTINCT l.key,
    l.value
   FROM components c
     CROSS JOIN LATERAL jsonb_each_text(
        CASE
            WHEN jsonb_typeof(c.labels) = 'object'::text THEN c.labels
            ELSE '{}'::jsonb
        END) l(key, value)
  WHERE c.deleted_at IS NULL;

create view component_names as
 SELECT id,
    path,
    external_id,
    type,
    name,
    created_at,
    updated_at,
    icon,
    parent_id
   FROM components
  WHERE deleted_at IS NULL AND NOT hidden
  ORDER BY name, external_id;

create view component_names_all as
 SELECT id,
    path,
    external_id,
    type,
    name,
    created_at,
    updated_at,
    icon,
    parent_id,
    deleted_at
   FROM components
  WHERE NOT hidden
  ORDER BY name, external_id;

create view component_own_checks as
 SELECT DISTINCT r.component_id,
    k.id AS check_id,
        CASE
            WHEN k.result_due < now() OR k.status IS NULL OR (k.status <> ALL (ARRAY['healthy'::text, 'unhealthy'::text])) THEN 'unknown'::text
            ELSE k.status
        END AS status
   FROM check_component_relationships r
     JOIN checks k ON k.id = r.check_id AND k.deleted_at IS NULL
  WHERE r.deleted_at IS NULL;

create view component_own_insights as
 SELECT DISTINCT r.component_id,
    a.id AS analysis_id,
    COALESCE(a.analysis_type, 'other'::text) AS analysis_type,
    COALESCE(lower(a.severity), 'info'::text) AS severity
   FROM config_component_relationships r
     JOIN config_items i ON i.id = r.config_id AND i.deleted_at IS NULL
     JOIN config_analysis a ON a.config_id = i.id AND a.status = 'open'::text
  WHERE r.deleted_at IS NULL;

create view component_ties as
 SELECT c.parent_id AS above,
    c.id AS below
   FROM components c
     JOIN components p ON p.id = c.parent_id AND p.deleted_at IS NULL
  WHERE c.deleted_at IS NULL AND c.parent_id <> c.id
UNION
 SELECT r.relationship_id AS above,
    r.component_id AS below
   FROM component_relationships r
     JOIN components p ON p.id = r.relationship_id AND p.deleted_at IS NULL
     JOIN components c ON c.id = r.component_id AND c.deleted_at IS NULL
  WHERE r.deleted_at IS NULL AND r.relationship_id <> r.component_id;

create view component_types as
 SELECT DISTINCT type
   FROM components
  WHERE deleted_at IS NULL AND type IS NOT NULL;

create view components_with_logs as
 SELECT id,
    name,
    agent_id,
    icon,
    type
   FROM components
  WHERE deleted_at IS NULL AND jsonb_typeof(log_selectors) = 'array'::text AND log_selectors <> '[]'::jsonb;

create view config_analysis_analyzers as
 SELECT DISTINCT analyzer
   FROM config_analysis
  WHERE status = 'open'::text
  ORDER BY analyzer;

create view config_analysis_by_severity as
 SELECT i.type,
    a.severity,
    count(*) AS analysis_count
   FROM config_analysis a
     JOIN config_items i ON i.id = a.config_id
  WHERE a.first_observed > (now() - '30 days'::interval)
  GROUP BY i.type, a.severity;

create view config_analysis_items as
 SELECT a.id,
    a.config_id,
    a.scraper_id,
    a.created_by,
    a.source,
    a.analyzer,
    a.analysis_type,
    a.severity,
    a.summary,
    a.status,
    a.message,
    a.analysis,
    a.properties,
    a.external_analysis_id,
    a.first_observed,
    a.last_observed,
    a.is_pushed,
    i.type AS config_type,
    i.config_class
   FROM config_analysis a
     LEFT JOIN config_items i ON i.id = a.config_id;

create view config_changes_by_types as
 SELECT i.type,
    sum(t.total) AS change_count
   FROM config_change_sums t
     JOIN config_items i ON i.id = t.config_id
  WHERE t.total > 0
  GROUP BY i.type;

create view config_class_summary as
 SELECT config_class,
    ( SELECT jsonb_object_agg(counted.k, counted.n) AS jsonb_object_agg
           FROM ( SELECT COALESCE(a.analysis_type, 'other'::text) AS k,
                    count(*) AS n
                   FROM config_analysis a
                     JOIN config_items o ON o.id = a.config_id AND o.config_class = i.config_class
                  WHERE a.status = 'open'::text
                  GROUP BY (COALESCE(a.analysis_type, 'other'::text))) counted) AS analysis,
    ( SELECT COALESCE(sum(t.total), 0::bigint) AS "coalesce"
           FROM config_change_sums t
             JOIN config_items o ON o.id = t.config_id AND o.config_class = i.config_class
          WHERE t.total > 0) AS changes,
    count(*) AS total_configs,
    sum(cost_per_minute) AS cost_per_minute,
    sum(cost_total_1d) AS cost_total_1d,
    sum(cost_total_7d) AS cost_total_7d,
    sum(cost_total_30d) AS cost_total_30d
   FROM config_items i
  GROUP BY config_class;

create view config_classes as
 WITH RECURSIVE classes AS (
        ( SELECT config_items.config_class
           FROM config_items
          WHERE config_items.config_class IS NOT NULL
          ORDER BY config_items.config_class
         LIMIT 1)
        UNION ALL
         SELECT ( SELECT i.config_class
                   FROM config_items i
                  WHERE i.config_class > classes_1.config_class
                  ORDER BY i.config_class
                 LIMIT 1) AS config_class
           FROM classes classes_1
          WHERE classes_1.config_class IS NOT NULL
        )
 SELECT config_class
   FROM classes
  WHERE config_class IS NOT NULL;

create view config_detail as
 SELECT id,
    agent_id,
    icon,
    scraper_id,
    config_class,
    status,
    health,
    ready,
    external_id,
    type,
    cost_per_minute,
    cost_total_1d,
    cost_total_7d,
    cost_total_30d,
    name,
    description,
    config,
    source,
    labels,
    tags,
    properties,
    parent_id,
    path,
    is_pushed,
    created_by,
    COALESCE(( SELECT s.seen_at
           FROM config_item_scrapes s
          WHERE s.config_id = i.id), last_scraped_time) AS last_scraped_time,
    created_at,
    updated_at,
    deleted_at,
    delete_reason,
    json_build_object('relationships', (( SELECT count(DISTINCT r.related_id) AS count
           FROM config_relationships r
          WHERE r.config_id = i.id AND r.deleted_at IS NULL AND r.related_id <> i.id)) + (( SELECT count(DISTINCT r.config_id) AS count
           FROM config_relationships r
          WHERE r.related_id = i.id AND r.deleted_at IS NULL AND r.config_id <> i.id)), 'analysis', ( SELECT count(*) AS count
           FROM config_analysis a
          WHERE a.config_id = i.id), 'changes', ( SELECT count(*) AS count
           FROM config_changes c
          WHERE c.created_at > (now() - '7 days'::interval) AND (c.config_id = ANY ((ARRAY( SELECT i.id
                UNION
                 SELECT r.id
                   FROM related_config_ids_recursive(i.id) r(id, direction, depth))))) AND NOT (EXISTS ( SELECT
                   FROM config_items o
                  WHERE o.id = c.config_id AND o.deleted_at IS NOT NULL))), 'playbook_runs', 0, 'checks', ( SELECT count(DISTINCT r.check_id) AS count
           FROM check_config_relationships r
             JOIN checks c ON c.id = r.check_id
          WHERE r.config_id = i.id AND r.deleted_at IS NULL AND c.deleted_at IS NULL)) AS summary,
    COALESCE(( SELECT json_agg(to_jsonb(c.*) - '{given_status,given_health,given_summary,position,roll_up_fault}'::text[]) AS json_agg
           FROM components c
             JOIN config_component_relationships r ON r.component_id = c.id
          WHERE r.config_id = i.id AND r.deleted_at IS NULL AND c.deleted_at IS NULL), '[]'::json) AS components
   FROM config_items i;

create view config_items_aws as
 SELECT id,
    scraper_id,
    config_class,
    external_id,
    type,
    name,
    namespace,
    description,
    source,
    labels,
    tags,
    created_by,
    created_at,
    updated_at,
    deleted_at,
    cost_per_minute,
    cost_total_1d,
    cost_total_7d,
    cost_total_30d,
    agent_id,
    status,
    health,
    ready,
    path,
    changes,
    analysis,
    last_scraped_time,
    labels ->> 'zone'::text AS zone,
    labels ->> 'region'::text AS region,
    labels ->> 'account'::text AS account
   FROM configs
  WHERE type ~~ 'AWS::%'::text;

create view config_label_spellings as
 SELECT key,
    value
   FROM config_facets
  WHERE kind = 'label'::text;

create view config_labels as
 SELECT key,
    value,
    items
   FROM config_facets
  WHERE kind = 'label'::text AND items > 0;

create view config_names as
 SELECT id,
    type,
    external_id,
    name
   FROM config_items
  ORDER BY name;

create view config_scrapers_with_status as
 SELECT s.id,
    s.name,
    s.namespace,
    s.description,
    s.spec,
    s.labels,
    s.source,
    s.created_by,
    s.agent_id,
    s.created_at,
    s.updated_at,
    s.deleted_at,
    j.name AS job_name,
    j.success_count AS job_success_count,
    j.error_count AS job_error_count,
    j.details AS job_details,
    j.hostname AS job_hostname,
    j.duration_millis AS job_duration_millis,
    j.resource_type AS job_resource_type,
    j.status AS job_status,
    j.time_start AS job_time_start,
    j.time_end AS job_time_end,
    j.created_at AS job_created_at,
    ( SELECT max(f.time_start) AS max
           FROM job_history f
          WHERE f.resource_type = 'config_scraper'::text AND f.resource_id = s.id::text AND f.name = 'Scraper'::text AND f.status = 'FAILED'::text) AS job_last_failed,
    ( SELECT json_build_object('id', agents.id, 'name', agents.name) AS json_build_object
           FROM ( SELECT) one
             LEFT JOIN agents ON agents.id = s.agent_id) AS agent
   FROM config_scrapers s
     LEFT JOIN LATERAL ( SELECT h.id,
            h.agent_id,
            h.name,
            h.success_count,
            h.error_count,
            h.details,
            h.hostname,
            h.duration_millis,
            h.resource_type,
            h.resource_id,
            h.status,
            h.time_start,
            h.time_end,
            h.created_at,
            h.is_pushed,
            h.failed_at
           FROM job_history h
          WHERE h.resource_type = 'config_scraper'::text AND h.resource_id = s.id::text AND h.name = 'Scraper'::text
          ORDER BY h.created_at DESC, h.id DESC
         LIMIT 1) j ON true
  WHERE s.deleted_at IS NULL;

create view config_sources as
 WITH RECURSIVE sources AS (
        ( SELECT config_items.source
           FROM config_items
          WHERE config_items.source IS NOT NULL
          ORDER BY config_items.source
         LIMIT 1)
        UNION ALL
         SELECT ( SELECT i.source
                   FROM config_items i
                  WHERE i.source > sources_1.source
                  ORDER BY i.source
                 LIMIT 1) AS source
           FROM sources sources_1
          WHERE sources_1.source IS NOT NULL
        )
 SELECT source
   FROM sources
  WHERE source IS NOT NULL;

create view config_statuses as
 WITH RECURSIVE statuses AS (
        ( SELECT config_items.status
           FROM config_items
          WHERE config_items.status IS NOT NULL
          ORDER BY config_items.status
         LIMIT 1)
        UNION ALL
         SELECT ( SELECT i.status
                   FROM config_items i
                  WHERE i.status > statuses_1.status
                  ORDER BY i.status
                 LIMIT 1) AS status
           FROM statuses statuses_1
          WHERE statuses_1.status IS NOT NULL
        )
 SELECT status
   FROM statuses
  WHERE status IS NOT NULL;

create view config_summary as
 SELECT type,
    max(created_at) AS created_at,
    max(updated_at) AS updated_at,
    ( SELECT jsonb_object_agg(counted.k, counted.n) AS jsonb_object_agg
           FROM ( SELECT COALESCE(a.analysis_type, 'other'::text) AS k,
                    count(*) AS n
                   FROM config_analysis a
                     JOIN config_items o ON o.id = a.config_id AND o.deleted_at IS NULL AND o.type = i.type
                  WHERE a.status = 'open'::text
                  GROUP BY (COALESCE(a.analysis_type, 'other'::text))) counted) AS analysis,
    ( SELECT jsonb_object_agg(counted.k, counted.n) AS jsonb_object_agg
           FROM ( SELECT COALESCE(a.severity, 'info'::text) AS k,
                    count(*) AS n
                   FROM config_analysis a
                     JOIN config_items o ON o.id = a.config_id AND o.deleted_at IS NULL AND o.type = i.type
                  WHERE a.status = 'open'::text
                  GROUP BY (COALESCE(a.severity, 'info'::text))) counted) AS severity,
    ( SELECT COALESCE(sum(t.total), 0::bigint) AS "coalesce"
           FROM config_change_sums t
             JOIN config_items o ON o.id = t.config_id AND o.deleted_at IS NULL AND o.type = i.type
          WHERE t.total > 0) AS changes,
    count(*) AS total_configs,
    sum(cost_per_minute) AS cost_per_minute,
    sum(cost_total_1d) AS cost_total_1d,
    sum(cost_total_7d) AS cost_total_7d,
    sum(cost_total_30d) AS cost_total_30d
   FROM config_items i
  WHERE deleted_at IS NULL
  GROUP BY type;

create view config_tag_spellings as
 SELECT key,
    value
   FROM config_facets
  WHERE kind = 'tag'::text;

create view config_tags as
 SELECT key,
    value,
    items
   FROM config_facets
  WHERE kind = 'tag'::text AND items > 0;

create view config_types as
 WITH RECURSIVE types AS (
        ( SELECT config_items.type
           FROM config_items
          ORDER BY config_items.type
         LIMIT 1)
        UNION ALL
         SELECT ( SELECT i.type
                   FROM config_items i
                  WHERE i.type > types_1.type
                  ORDER BY i.type
                 LIMIT 1) AS type
           FROM types types_1
          WHERE types_1.type IS NOT NULL
        )
 SELECT type
   FROM types
  WHERE type IS NOT NULL;

create view configs as
 SELECT id,
    scraper_id,
    config_class,
    external_id,
    type,
    name,
    tags ->> 'namespace'::text AS namespace,
    description,
    source,
    labels,
    tags,
    created_by,
    created_at,
    updated_at,
    deleted_at,
    cost_per_minute,
    cost_total_1d,
    cost_total_7d,
    cost_total_30d,
    agent_id,
    status,
    health,
    ready,
    path,
    ( SELECT jsonb_agg(jsonb_build_object('change_type', t.change_type, 'severity', t.severity, 'total', t.total) ORDER BY t.total DESC, t.change_type, t.severity) AS jsonb_agg
           FROM config_change_totals t
          WHERE t.config_id = config_items.id AND t.total > 0) AS changes,
    ( SELECT jsonb_object_agg(a.analysis_type, a.n) AS jsonb_object_agg
           FROM ( SELECT COALESCE(config_analysis.analysis_type, 'other'::text) AS analysis_type,
                    count(*) AS n
                   FROM config_analysis
                  WHERE config_analysis.config_id = config_items.id AND config_analysis.status = 'open'::text
                  GROUP BY (COALESCE(config_analysis.analysis_type, 'other'::text))) a) AS analysis,
    COALESCE(( SELECT s.seen_at
           FROM config_item_scrapes s
          WHERE s.config_id = config_items.id), last_scraped_time) AS last_scraped_time
   FROM config_items;

create view connection_details as
 SELECT id,
    name,
    namespace,
    type,
    source,
    properties,
    insecure_tls,
    created_by,
    created_at,
    updated_at,
    connection_category(url) AS category,
    shown_credential(username) AS username,
    shown_credential(password) AS password,
    shown_credential(certificate) AS certificate
   FROM connections
  WHERE deleted_at IS NULL;

create view connections_list as
 SELECT id,
    name,
    namespace,
    type,
    connection_category(url) AS category,
    created_by,
    created_at,
    updated_at
   FROM connections
  WHERE deleted_at IS NULL;

create view event_queue_summary as
 SELECT name,
    count(*) AS pending,
    count(*) FILTER (WHERE error IS NOT NULL) AS failed,
    round(avg(attempts), 2) AS average_attempts,
    min(created_at) FILTER (WHERE error IS NOT NULL) AS first_failure,
    max(last_attempt) AS last_failure,
    mode() WITHIN GROUP (ORDER BY error) AS most_common_error
   FROM event_queue
  GROUP BY name;

create view failed_events as
 SELECT name,
    count(DISTINCT error) AS unique_errors,
    round(avg(attempts), 2) AS average_attempts,
    count(*) AS total_failed_events,
    mode() WITHIN GROUP (ORDER BY error) AS most_common_error
   FROM event_queue
  WHERE error IS NOT NULL AND attempts > 0 AND created_at >= (now() - '7 days'::interval)
  GROUP BY name;

create view integrations_with_status as
 SELECT s.id,
    s.name,
    s.namespace,
    s.description,
    'scrapers'::text AS integration_type,
    s.source,
    s.agent_id,
    s.created_by,
    s.created_at,
    s.updated_at,
    s.deleted_at,
    s.job_name,
    s.job_success_count,
    s.job_error_count,
    s.job_details,
    s.job_hostname,
    s.job_duration_millis,
    s.job_resource_type,
    s.job_status,
    s.job_time_start,
    s.job_time_end,
    s.job_created_at,
    s.job_last_failed,
    s.agent,
    p.name AS creator_name,
    p.avatar AS creator_avatar,
    p.title AS creator_title,
    p.email AS creator_email
   FROM config_scrapers_with_status s
     LEFT JOIN people p ON p.id = s.created_by
UNION ALL
 SELECT t.id,
    t.name,
    t.namespace,
    NULL::text AS description,
    'topologies'::text AS integration_type,
    t.source,
    t.agent_id,
    t.created_by,
    t.created_at,
    t.updated_at,
    t.deleted_at,
    t.job_name,
    t.job_success_count,
    t.job_error_count,
    t.job_details,
    t.job_hostname,
    t.job_duration_millis,
    t.job_resource_type,
    t.job_status,
    t.job_time_start,
    t.job_time_end,
    t.job_created_at,
    t.job_last_failed,
    t.agent,
    p.name AS creator_name,
    p.avatar AS creator_avatar,
    p.title AS creator_title,
    p.email AS creator_email
   FROM topologies_with_status t
     LEFT JOIN people p ON p.id = t.created_by
UNION ALL
 SELECT b.id,
    b.name,
    b.namespace,
    NULL::text AS description,
    'logging_backends'::text AS integration_type,
    b.source,
    b.agent_id,
    b.created_by,
    b.created_at,
    b.updated_at,
    b.deleted_at,
    ''::text AS job_name,
    0 AS job_success_count,
    0 AS job_error_count,
    NULL::jsonb AS job_details,
    ''::text AS job_hostname,
    0 AS job_duration_millis,
    ''::text AS job_resource_type,
    ''::text AS job_status,
    NULL::timestamp with time zone AS job_time_start,
    NULL::timestamp with time zone AS job_time_end,
    NULL::timestamp with time zone AS job_created_at,
    NULL::timestamp with time zone AS job_last_failed,
    NULL::json AS agent,
    p.name AS creator_name,
    p.avatar AS creator_avatar,
    p.title AS creator_title,
    p.email AS creator_email
   FROM logging_backends b
     LEFT JOIN people p ON p.id = b.created_by;

create view job_histories as
 SELECT id,
    agent_id,
    name,
    success_count,
    error_count,
    details,
    hostname,
    duration_millis,
    resource_type,
    resource_id,
    status,
    time_start,
    time_end,
    created_at,
    is_pushed,
    failed_at,
    COALESCE(( SELECT n.name
           FROM resource_names n
          WHERE n.kind = job_history.resource_type AND n.id = as_id(job_history.resource_id)), resource_id) AS resource_name,
    ( SELECT json_build_object('id', agents.id, 'name', agents.name) AS json_build_object
           FROM ( SELECT) one
             LEFT JOIN agents ON agents.id = job_history.agent_id) AS agent
   FROM job_history;

create view job_history_latest_status as
 SELECT id,
    agent_id,
    name,
    success_count,
    error_count,
    details,
    hostname,
    duration_millis,
    resource_type,
    resource_id,
    status,
    time_start,
    time_end,
    created_at,
    is_pushed,
    failed_at,
    rn
   FROM ( SELECT job_history.id,
            job_history.agent_id,
            job_history.name,
            job_history.success_count,
            job_history.error_count,
            job_history.details,
            job_history.hostname,
            job_history.duration_millis,
            job_history.resource_type,
            job_history.resource_id,
            job_history.status,
            job_history.time_start,
            job_history.time_end,
            job_history.created_at,
            job_history.is_pushed,
            job_history.failed_at,
            row_number() OVER (PARTITION BY job_history.resource_id ORDER BY job_history.created_at DESC, job_history.id DESC) AS rn
           FROM job_history) ranked
  WHERE rn = 1;

create view job_history_names as
 WITH RECURSIVE names AS (
        ( SELECT job_history.name
           FROM job_history
          ORDER BY job_history.name
         LIMIT 1)
        UNION ALL
         SELECT ( SELECT h.name
                   FROM job_history h
                  WHERE h.name > names_1.name
                  ORDER BY h.name
                 LIMIT 1) AS name
           FROM names names_1
          WHERE names_1.name IS NOT NULL
        )
 SELECT name
   FROM names
  WHERE name IS NOT NULL;

create view people_roles as
 SELECT p.id,
    p.name,
    p.email,
    COALESCE(array_agg(r.v1 ORDER BY r.id) FILTER (WHERE r.v1 IS NOT NULL), '{viewer}'::character varying[]) AS roles
   FROM people p
     LEFT JOIN casbin_rule r ON r.ptype::text = 'g'::text AND r.v0::text = p.id::text
  WHERE r.v0 IS NOT NULL OR p.deleted_at IS NULL AND p.type IS NULL AND (p.email IS NOT NULL OR p.external_id IS NOT NULL)
  GROUP BY p.id;

create view resource_names as
 SELECT 'team'::text AS kind,
    teams.id,
    teams.name,
    NULL::text AS namespace
   FROM teams
UNION ALL
 SELECT 'person'::text AS kind,
    people.id,
    people.name,
    NULL::text AS namespace
   FROM people
UNION ALL
 SELECT 'access_token'::text AS kind,
    access_tokens.id,
    access_tokens.name,
    NULL::text AS namespace
   FROM access_tokens
UNION ALL
 SELECT 'agent'::text AS kind,
    agents.id,
    agents.name,
    NULL::text AS namespace
   FROM agents
UNION ALL
 SELECT 'connection'::text AS kind,
    connections.id,
    connections.name,
    connections.namespace
   FROM connections
UNION ALL
 SELECT 'configs'::text AS kind,
    config_items.id,
    config_items.name,
    config_items.tags ->> 'namespace'::text AS namespace
   FROM config_items
UNION ALL
 SELECT 'config_scraper'::text AS kind,
    config_scrapers.id,
    config_scrapers.name,
    config_scrapers.namespace
   FROM config_scrapers
UNION ALL
 SELECT 'canary'::text AS kind,
    canaries.id,
    canaries.name,
    canaries.namespace
   FROM canaries
UNION ALL
 SELECT 'check'::text AS kind,
    checks.id,
    checks.name,
    checks.namespace
   FROM checks
UNION ALL
 SELECT 'topology'::text AS kind,
    topologies.id,
    topologies.name,
    topologies.namespace
   FROM topologies
UNION ALL
 SELECT 'components'::text AS kind,
    components.id,
    components.name,
    components.namespace
   FROM components
UNION ALL
 SELECT 'logging_backend'::text AS kind,
    logging_backends.id,
    logging_backends.name,
    logging_backends.namespace
   FROM logging_backends;

create view teams_with_status as
 SELECT t.id,
    t.name,
    t.icon,
    t.spec,
    t.source,
    t.created_by,
    t.created_at,
    t.updated_at,
    t.deleted_at,
    j.name AS job_name,
    j.success_count AS job_success_count,
    j.error_count AS job_error_count,
    j.details AS job_details,
    j.hostname AS job_hostname,
    j.duration_millis AS job_duration_millis,
    j.resource_type AS job_resource_type,
    j.status AS job_status,
    j.time_start AS job_time_start,
    j.time_end AS job_time_end,
    j.created_at AS job_created_at,
    ( SELECT max(f.time_start) AS max
           FROM job_history f
          WHERE f.resource_type = 'team'::text AND f.resource_id = t.id::text AND f.status = 'FAILED'::text) AS job_last_failed
   FROM teams t
     LEFT JOIN LATERAL ( SELECT h.id,
            h.agent_id,
            h.name,
            h.success_count,
            h.error_count,
            h.details,
            h.hostname,
            h.duration_millis,
            h.resource_type,
            h.resource_id,
            h.status,
            h.time_start,
            h.time_end,
            h.created_at,
            h.is_pushed,
            h.failed_at
           FROM job_history h
          WHERE h.resource_type = 'team'::text AND h.resource_id = t.id::text
          ORDER BY h.created_at DESC, h.id DESC
         LIMIT 1) j ON true
  WHERE t.deleted_at IS NULL;

create view topologies_with_status as
 SELECT t.id,
    t.agent_id,
    t.name,
    t.namespace,
    t.labels,
    t.annotations,
    t.spec,
    t.schedule,
    t.source,
    t.created_by,
    t.created_at,
    t.updated_at,
    t.deleted_at,
    t.is_pushed,
    j.name AS job_name,
    j.success_count AS job_success_count,
    j.error_count AS job_error_count,
    j.details AS job_details,
    j.hostname AS job_hostname,
    j.duration_millis AS job_duration_millis,
    j.resource_type AS job_resource_type,
    j.status AS job_status,
    j.time_start AS job_time_start,
    j.time_end AS job_time_end,
    j.created_at AS job_created_at,
    ( SELECT max(f.time_start) AS max
           FROM job_history f
          WHERE f.resource_type = 'topology'::text AND f.resource_id = t.id::text AND f.name = 'Topology'::text AND f.status = 'FAILED'::text) AS job_last_failed,
    ( SELECT json_build_object('id', agents.id, 'name', agents.name) AS json_build_object
           FROM ( SELECT) one
             LEFT JOIN agents ON agents.id = t.agent_id) AS agent
   FROM topologies t
     LEFT JOIN LATERAL ( SELECT h.id,
            h.agent_id,
            h.name,
            h.success_count,
            h.error_count,
            h.details,
            h.hostname,
            h.duration_millis,
            h.resource_type,
            h.resource_id,
            h.status,
            h.time_start,
            h.time_end,
            h.created_at,
            h.is_pushed,
            h.failed_at
           FROM job_history h
          WHERE h.resource_type = 'topology'::text AND h.resource_id = t.id::text AND h.name = 'Topology'::text
          ORDER BY h.created_at DESC, h.id DESC
         LIMIT 1) j ON true
  WHERE t.deleted_at IS NULL;

create view topology as
 SELECT id,
    agent_id,
    topology_id,
    external_id,
    parent_id,
    config_id,
    name,
    text,
    topology_type,
    namespace,
    labels,
    hidden,
    silenced,
    is_pushed,
    status,
    status_expr,
    health_expr,
    health,
    description,
    lifecycle,
    tooltip,
    NULLIF(concat_ws(' '::text, roll_up_fault, status_reason), ''::text) AS status_reason,
    schedule,
    icon,
    type,
    owner,
    selectors,
    log_selectors,
    component_checks,
    configs,
    properties,
    path,
    summary,
    is_leaf,
    cost_per_minute,
    cost_total_1d,
    cost_total_7d,
    cost_total_30d,
    created_by,
    created_at,
    updated_at,
    deleted_at,
    "position" AS "order",
    ( SELECT json_agg(json_build_object('name', l.value ->> 'name'::text)) AS json_agg
           FROM jsonb_array_elements(
                CASE
                    WHEN jsonb_typeof(c.log_selectors) = 'array'::text THEN c.log_selectors
                    ELSE '[]'::jsonb
                END) l(value)) AS logs,
    ( SELECT json_object_agg(k.status, k.n) AS json_object_agg
           FROM ( SELECT component_own_checks.status,
                    count(*) AS n
                   FROM component_own_checks
                  WHERE component_own_checks.component_id = c.id
                  GROUP BY component_own_checks.status) k) AS checks,
    ( SELECT array_agg(t.name ORDER BY t.name) AS array_agg
           FROM team_components m
             JOIN teams t ON t.id = m.team_id
          WHERE m.component_id = c.id AND t.deleted_at IS NULL) AS team_names,
    '{}'::jsonb AS incidents,
    ( SELECT jsonb_object_agg(a.analysis_type, a.severities) AS jsonb_object_agg
           FROM ( SELECT s.analysis_type,
                    jsonb_object_agg(s.severity, s.n) AS severities
                   FROM ( SELECT component_own_insights.analysis_type,
                            component_own_insights.severity,
                            count(*) AS n
                           FROM component_own_insights
                          WHERE component_own_insights.component_id = c.id
                          GROUP BY component_own_insights.analysis_type, component_own_insights.severity) s
                  GROUP BY s.analysis_type) a) AS analysis,
    ( SELECT array_agg(component_ties.below ORDER BY component_ties.below) AS array_agg
           FROM component_ties
          WHERE component_ties.above = c.id) AS children,
    ( SELECT array_agg(component_ties.above ORDER BY component_ties.above) AS array_agg
           FROM component_ties
          WHERE component_ties.below = c.id) AS parents
   FROM components c
  WHERE deleted_at IS NULL;
