/**
 * The feature flags that this version looks at. Others may be kept as well; they are properties like any other.
 * Source: product specification, document 1, section 6.
 */

export interface KnownFlag {
  /** The name of the property; `true` switches the feature off. */
  name: `${string}.disable`;
  description: string;
}

const described: Readonly<Record<string, string>> = {
  topology: "The dashboard of components",
  health: "The health page, with the settings of health checks and the job history",
  incidents: "Incidents, linking to them, and attaching evidence",
  config: "The catalog, with the settings of its scrapers",
  logs: "Logs, and the log backends",
  playbooks: "Playbooks and their runs",
  agents: "Agents",
  "settings.connections": "Connections, in the settings",
  "settings.users": "Users, in the settings",
  "settings.teams": "Teams, in the settings",
  "settings.rules": "Incident rules, in the settings",
  "settings.config_scraper":
    "Catalog scrapers, in the settings; follows config.disable unless it is set",
  "settings.topology": "Topologies, in the settings; follows topology.disable unless it is set",
  "settings.health": "Health checks, in the settings; follows health.disable unless it is set",
  "settings.job_history":
    "The job history, in the settings; follows health.disable unless it is set",
  "settings.feature_flags": "Feature flags, in the settings",
  "settings.logging_backends":
    "Log backends, in the settings; follows logs.disable unless it is set",
  "settings.event_queue_status": "The event queue, in the settings",
  "settings.notifications": "Notification rules, in the settings",
  "settings.integrations": "Integrations, in the settings",
  "settings.audit": "The audit log, in the settings",
  "settings.security": "What weakens the server, in the settings",
  "settings.tokens": "Access tokens, in the settings",
};

export const knownFlags: readonly KnownFlag[] = Object.entries(described).map(
  ([feature, description]) => ({ name: `${feature}.disable`, description }),
);
