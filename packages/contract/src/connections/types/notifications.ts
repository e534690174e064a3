import type { ConnectionType } from "../connection-type.ts";
import {
  checkbox,
  hidden,
  insecureTls,
  number,
  password,
  property,
  required,
  select,
  text,
  url,
  username,
  value,
  writtenUsername,
} from "../fields.ts";

const kind = "notification";
const truth = (is: boolean | undefined) => String(is === true);

export const email: ConnectionType = {
  type: "email",
  label: "Email",
  help: "A mail server that messages are sent through.",
  kind,
  fields: [
    username(),
    password(),
    insecureTls,
    text("properties.host", "SMTP Server"),
    number("properties.port", "Port", { default: "587" }),
    text("properties.from", "From", { help: "The address that mail comes from." }),
    text("properties.fromName", "From Name"),
    select(
      "properties.encryptionMethod",
      "Encryption",
      ["None", "ExplicitTLS", "ImplicitTLS", "Auto"],
      {
        default: "Auto",
      },
    ),
    select(
      "properties.authMethod",
      "Authentication",
      ["None", "Plain", "CRAMMD5", "Unknown", "OAuth2"],
      {
        default: "Unknown",
      },
    ),
  ],
  composeUrl: (row) =>
    `smtp://$(username):$(password)@${property(row, "host")}:${property(row, "port")}/?UseStartTLS=${truth(row.insecure_tls)}&Encryption=${property(row, "encryptionMethod")}&Auth=${property(row, "authMethod")}`,
};

export const matrix: ConnectionType = {
  type: "matrix",
  label: "Matrix",
  help: "A Matrix home server.",
  kind,
  fields: [text("properties.host", "Host", required), username(), password(required), insecureTls],
  composeUrl: (row) =>
    `matrix://${writtenUsername(row)}:$(password)@${property(row, "host")}/?DisableTLS=${truth(row.insecure_tls)}`,
};

export const mattermost: ConnectionType = {
  type: "mattermost",
  label: "Mattermost",
  help: "A channel of Mattermost, by an incoming webhook.",
  kind,
  fields: [
    text("properties.host", "Host", required),
    username(),
    hidden("password", "Token", required),
    text("properties.channel", "Channel"),
  ],
  composeUrl: (row) =>
    `mattermost://${writtenUsername(row)}@${property(row, "host")}/$(password)/${property(row, "channel")}`,
};

export const ntfy: ConnectionType = {
  type: "ntfy",
  label: "Ntfy",
  help: "A topic of ntfy.",
  kind,
  fields: [
    text("properties.host", "Host", { default: "ntfy.sh", ...required }),
    text("properties.topic", "Topic", required),
    username(),
    password(),
    checkbox("insecure_tls", "Disable TLS", { help: "Speak plain HTTP to the server." }),
  ],
  composeUrl: (row) =>
    `ntfy://${writtenUsername(row)}:$(password)@${property(row, "host")}/${property(row, "topic")}?Scheme=${row.insecure_tls === true ? "http" : "https"}`,
};

export const rocketchat: ConnectionType = {
  type: "rocketchat",
  label: "Rocket.Chat",
  help: "A channel of Rocket.Chat, by an incoming webhook.",
  kind,
  fields: [
    text("properties.host", "Host", required),
    number("properties.port", "Port", required),
    text("properties.user", "User Name"),
    hidden("username", "Token A", required),
    hidden("password", "Token B", required),
    text("properties.channel", "Channel", required),
  ],
  composeUrl: (row) =>
    `rocketchat://${property(row, "user")}@${property(row, "host")}:${property(row, "port")}/$(username)/$(password)/${property(row, "channel")}`,
};

export const teams: ConnectionType = {
  type: "teams",
  label: "Teams",
  help: "A channel of Microsoft Teams, by an incoming webhook.",
  kind,
  fields: [
    text("properties.group", "Group"),
    text("properties.tenant", "Tenant", required),
    text("properties.altID", "Alt ID", {
      help: "The first long part of the webhook's address after IncomingWebhook.",
      secret: true,
      ...required,
    }),
    text("properties.groupOwner", "Group Owner", required),
    text("properties.host", "Host", { default: "outlook.office.com", ...required }),
  ],
  composeUrl: (row) =>
    `teams://${property(row, "group")}@${property(row, "tenant")}/$(properties.altID)/${property(row, "groupOwner")}?host=${property(row, "host")}`,
};

export const zulip: ConnectionType = {
  type: "zulip_chat",
  label: "Zulip Chat",
  help: "A Zulip organization, by a bot.",
  kind,
  fields: [
    text("properties.host", "Host", required),
    username({ help: "The e-mail address of the bot." }),
    hidden("password", "API Key", required),
  ],
  composeUrl: (row) => `zulip://$(username):$(password)@${property(row, "host")}/`,
};

export const genericWebhook: ConnectionType = {
  type: "generic_webhook",
  label: "Generic Webhook",
  help: "Any address that takes messages over HTTP.",
  kind,
  fields: [
    value("username", "Webhook URL", {
      help: "For example https://hooks.example.com/alerts",
      ...required,
    }),
    select("properties.requestMethod", "Request Method", ["POST", "GET"], { default: "POST" }),
    text("properties.contentType", "Content Type", { default: "application/json" }),
    text("properties.key", "Message Key", { default: "message" }),
    text("properties.titleKey", "Title Key", { default: "title" }),
    checkbox("insecure_tls", "Disable TLS", { help: "Speak plain HTTP to the server." }),
  ],
  composeUrl: (row) => {
    const query = new URLSearchParams({
      ContentType: property(row, "contentType"),
      MessageKey: property(row, "key"),
      TitleKey: property(row, "titleKey"),
      RequestMethod: property(row, "requestMethod"),
      DisableTLS: truth(row.insecure_tls),
    });
    return `generic+${writtenUsername(row)}?${query.toString()}`;
  },
};

const webhook: ConnectionType = {
  type: "webhook",
  label: "Webhook",
  help: "An address that takes messages over HTTP.",
  kind,
  hidden: true,
  fields: [url("Address that messages are sent to."), username(), password()],
};

const slackWebhook: ConnectionType = {
  type: "slackwebhook",
  label: "Slack Webhook",
  help: "An incoming webhook of Slack.",
  kind,
  hidden: true,
  // Whoever knows the address may send.
  fields: [hidden("url", "URL")],
};

/** Services on hosts that their users choose. */
export const hostedNotifications = [
  email,
  matrix,
  mattermost,
  ntfy,
  rocketchat,
  teams,
  zulip,
  genericWebhook,
  webhook,
  slackWebhook,
] as const;
