import type { ConnectionType } from "../connection-type.ts";
import { hidden, number, property, required, text, value, writtenUsername } from "../fields.ts";

const kind = "notification";

export const discord: ConnectionType = {
  type: "discord",
  label: "Discord",
  help: "A channel of Discord, by a webhook.",
  kind,
  fixedService: true,
  fields: [value("username", "Webhook ID", required), hidden("password", "Token", required)],
  composeUrl: (row) => `discord://$(password)@${writtenUsername(row)}`,
};

export const googleChat: ConnectionType = {
  type: "google_chat",
  label: "Google Chat",
  help: "A space of Google Chat, by an incoming webhook.",
  kind,
  fields: [
    text("properties.webhook", "Space", {
      help: "What follows /spaces/ in the webhook's address.",
      ...required,
    }),
    hidden("username", "Key", required),
    hidden("password", "Token", required),
  ],
  composeUrl: (row) =>
    `googlechat://chat.googleapis.com/v1/spaces/${property(row, "webhook")}/messages?key=$(username)&token=$(password)`,
};

export const ifttt: ConnectionType = {
  type: "ifttt",
  label: "IFTTT",
  help: "Applets of IFTTT, by its webhooks.",
  kind,
  fixedService: true,
  fields: [hidden("username", "Webhook ID", required)],
  composeUrl: () => "ifttt://$(username)",
};

export const opsgenie: ConnectionType = {
  type: "opsgenie",
  label: "OpsGenie",
  help: "Alerts of Opsgenie.",
  kind,
  fields: [
    text("properties.host", "Host", { default: "api.opsgenie.com" }),
    number("properties.port", "Port", { default: "443" }),
    hidden("password", "API Key", required),
  ],
  composeUrl: (row) => `opsgenie://${property(row, "host")}:${property(row, "port")}/$(password)`,
};

export const pushbullet: ConnectionType = {
  type: "pushbullet",
  label: "Pushbullet",
  help: "Devices, channels and people on Pushbullet.",
  kind,
  fixedService: true,
  fields: [
    hidden("password", "API Token", required),
    text("properties.targets", "Targets", {
      help: "Devices, #channels or e-mail addresses, apart by slashes.",
      ...required,
    }),
  ],
  composeUrl: (row) => `pushbullet://$(password)/${property(row, "targets")}`,
};

export const pushover: ConnectionType = {
  type: "pushover",
  label: "Pushover",
  help: "Phones of a user or group on Pushover.",
  kind,
  fixedService: true,
  fields: [hidden("username", "User Key", required), hidden("password", "API Token", required)],
  composeUrl: () => "pushover://:$(password)@$(username)/",
};

export const slack: ConnectionType = {
  type: "slack",
  label: "Slack",
  help: "A channel of Slack, by a bot.",
  kind,
  fixedService: true,
  fields: [
    value("username", "Channel", required),
    hidden("password", "OAuth Token", required),
    text("properties.BotName", "Bot Name"),
  ],
  composeUrl: (row) => `slack://$(password)@${writtenUsername(row)}`,
};

export const telegram: ConnectionType = {
  type: "telegram",
  label: "Telegram",
  help: "Chats of Telegram, by a bot.",
  kind,
  fixedService: true,
  fields: [
    value("username", "Chats", {
      help: "Ids of chats or names of channels, apart by commas.",
      ...required,
    }),
    hidden("password", "Token", required),
  ],
  composeUrl: (row) => `telegram://$(password)@telegram/?Chats=${writtenUsername(row)}`,
};

/** Services of one address each. */
export const messengers = [
  discord,
  googleChat,
  ifttt,
  opsgenie,
  pushbullet,
  pushover,
  slack,
  telegram,
] as const;
