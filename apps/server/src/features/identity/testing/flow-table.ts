import type { Kind } from "./flows.ts";
import type { MethodName } from "./flow-walks.ts";

/**
 * What every method answers in every kind of flow, whatever happens: the status, and the id of the error or the
 * numbers of what the form says. `browser / program` where the two differ, `-` where it cannot happen.
 */

export const kinds: readonly Kind[] = [
  "login",
  "registration",
  "recovery",
  "verification",
  "settings",
];

/** In the order of the columns; what each means is in docs/identity.md. */
export const outcomes = [
  "right",
  "wrong",
  "expired",
  "replayed",
  "other browser",
  "no CSRF token",
  "somebody else",
  "too many tries",
  "no second factor",
  "long ago",
  "signed in",
  "not signed in",
  "not offered",
] as const;
export type Outcome = (typeof outcomes)[number];

export const table: Record<Kind, Partial<Record<MethodName, Partial<Record<Outcome, string>>>>> = {
  login: {
    password: {
      right: "200",
      wrong: "400 4000006",
      expired: "410 self_service_flow_expired",
      replayed: "410 self_service_flow_expired",
      "other browser": "403 security_csrf_violation / 400",
      "no CSRF token": "403 security_csrf_violation / -",
      "too many tries": "400 4000001",
      "signed in": "400 session_already_available",
      "not offered": "400 4010002",
    },
    code: {
      right: "200",
      wrong: "400 4010008",
      expired: "410 self_service_flow_expired",
      replayed: "410 self_service_flow_expired",
      "other browser": "403 security_csrf_violation / 400",
      "no CSRF token": "403 security_csrf_violation / -",
      "too many tries": "400 4010008",
      "signed in": "400 session_already_available",
      "not offered": "400 4010002",
    },
    link: { "not offered": "400 4010002" },
    oidc: {
      right: "422 browser_location_change_required / 400 4010002",
      wrong: "400 4010002 / -",
      expired: "410 self_service_flow_expired / -",
      replayed: "422 browser_location_change_required / -",
      "other browser": "403 security_csrf_violation / -",
      "no CSRF token": "403 security_csrf_violation / -",
      "signed in": "400 session_already_available / -",
      "not offered": "400 4010002",
    },
    passkey: {
      right: "200 / 400 4000015",
      wrong: "400 4000015 / -",
      expired: "410 self_service_flow_expired / -",
      replayed: "410 self_service_flow_expired / -",
      "other browser": "403 security_csrf_violation / -",
      "no CSRF token": "403 security_csrf_violation / -",
      "signed in": "400 session_already_available / -",
      "not offered": "400 4010002",
    },
    totp: {
      right: "200",
      wrong: "400 4000008",
      expired: "410 self_service_flow_expired",
      replayed: "401 session_aal1_required",
      "other browser": "403 security_csrf_violation / 400",
      "no CSRF token": "403 security_csrf_violation / -",
      "somebody else": "401 session_aal1_required",
      "too many tries": "400 4000001",
      "not signed in": "401 session_aal1_required",
      "not offered": "400 4010002",
    },
    webauthn: {
      right: "200 / 400 4000013",
      wrong: "400 4000008 / -",
      expired: "410 self_service_flow_expired / -",
      replayed: "401 session_aal1_required / -",
      "other browser": "403 security_csrf_violation / -",
      "no CSRF token": "403 security_csrf_violation / -",
      "somebody else": "401 session_aal1_required / -",
      "not signed in": "401 session_aal1_required / -",
      "not offered": "400 4010002",
    },
    lookup_secret: {
      right: "200",
      wrong: "400 4000016",
      expired: "410 self_service_flow_expired",
      replayed: "401 session_aal1_required",
      "other browser": "403 security_csrf_violation / 400",
      "no CSRF token": "403 security_csrf_violation / -",
      "somebody else": "401 session_aal1_required",
      "too many tries": "400 4000001",
      "not signed in": "401 session_aal1_required",
      "not offered": "400 4010002",
    },
    profile: { "not offered": "400 4010002" },
  },
  registration: {
    password: {
      right: "400 1040005",
      wrong: "400 4000032",
      expired: "410 self_service_flow_expired",
      replayed: "400 4010003",
      "other browser": "403 security_csrf_violation / 400",
      "no CSRF token": "403 security_csrf_violation / -",
      "signed in": "400 session_already_available / -",
    },
    code: {
      right: "200",
      wrong: "400 4040003",
      expired: "410 self_service_flow_expired",
      replayed: "410 self_service_flow_expired",
      "other browser": "403 security_csrf_violation / 400",
      "no CSRF token": "403 security_csrf_violation / -",
      "too many tries": "400 4040003",
      "signed in": "400 session_already_available / -",
    },
    link: { "not offered": "400 4010003" },
    oidc: {
      right: "422 browser_location_change_required / 400 4010003",
      wrong: "400 4010003 / -",
      expired: "410 self_service_flow_expired / -",
      replayed: "422 browser_location_change_required / -",
      "other browser": "403 security_csrf_violation / -",
      "no CSRF token": "403 security_csrf_violation / -",
      "signed in": "400 session_already_available / -",
    },
    passkey: { "not offered": "400 4010003" },
    totp: { "not offered": "400 4010003" },
    webauthn: { "not offered": "400 4010003" },
    lookup_secret: { "not offered": "400 4010003" },
    profile: { "not offered": "400 4010003" },
  },
  recovery: {
    password: { "not offered": "400 4010005" },
    code: {
      right: "422 browser_location_change_required / 200 1060001",
      wrong: "400 4060006",
      expired: "410 self_service_flow_expired",
      replayed: "410 self_service_flow_expired",
      "other browser": "403 security_csrf_violation / 400",
      "no CSRF token": "403 security_csrf_violation / -",
      "too many tries": "400 4060002",
      "signed in": "400 session_already_available / -",
    },
    link: {
      right: "422 browser_location_change_required / 400 4010005",
      wrong: "400 4060004 / -",
      expired: "410 self_service_flow_expired / -",
      replayed: "410 self_service_flow_expired / -",
      "other browser": "403 security_csrf_violation / -",
      "no CSRF token": "403 security_csrf_violation / -",
      "signed in": "422 browser_location_change_required / -",
    },
    oidc: { "not offered": "400 4010005" },
    passkey: { "not offered": "400 4010005" },
    totp: { "not offered": "400 4010005" },
    webauthn: { "not offered": "400 4010005" },
    lookup_secret: { "not offered": "400 4010005" },
    profile: { "not offered": "400 4010005" },
  },
  verification: {
    password: { "not offered": "400 4010006" },
    code: {
      right: "200 1080002",
      wrong: "400 4070006",
      expired: "410 self_service_flow_expired",
      replayed: "400 4010006",
      "other browser": "403 security_csrf_violation / 400",
      "no CSRF token": "403 security_csrf_violation / -",
      "too many tries": "400 4070003",
    },
    link: {
      right: "200 1080002 / 400 4010006",
      wrong: "400 4070001 / -",
      expired: "410 self_service_flow_expired / -",
      replayed: "400 4010006 / -",
      "other browser": "403 security_csrf_violation / -",
      "no CSRF token": "403 security_csrf_violation / -",
    },
    oidc: { "not offered": "400 4010006" },
    passkey: { "not offered": "400 4010006" },
    totp: { "not offered": "400 4010006" },
    webauthn: { "not offered": "400 4010006" },
    lookup_secret: { "not offered": "400 4010006" },
    profile: { "not offered": "400 4010006" },
  },
  settings: {
    password: {
      right: "200 1050001",
      wrong: "400 4000032",
      expired: "410 self_service_flow_expired",
      replayed: "200 1050001",
      "other browser": "403 security_csrf_violation / 400",
      "no CSRF token": "403 security_csrf_violation / -",
      "somebody else": "403 security_identity_mismatch",
      "no second factor": "403 session_aal2_required",
      "long ago": "403 session_refresh_required",
      "not signed in": "401 session_inactive",
    },
    code: { "not offered": "400 4010004" },
    link: { "not offered": "400 4010004" },
    oidc: {
      right: "422 browser_location_change_required / 400 4010004",
      wrong: "400 4010004 / -",
      expired: "410 self_service_flow_expired / -",
      replayed: "422 browser_location_change_required / -",
      "other browser": "403 security_csrf_violation / -",
      "no CSRF token": "403 security_csrf_violation / -",
      "somebody else": "403 security_identity_mismatch / -",
      "no second factor": "403 session_aal2_required / -",
      "long ago": "403 session_refresh_required / -",
      "not signed in": "401 session_inactive / -",
    },
    passkey: {
      right: "200 1050001 / 400 4000001",
      wrong: "400 4000008 / -",
      expired: "410 self_service_flow_expired / -",
      replayed: "400 4000008 / -",
      "other browser": "403 security_csrf_violation / -",
      "no CSRF token": "403 security_csrf_violation / -",
      "somebody else": "403 security_identity_mismatch / -",
      "no second factor": "403 session_aal2_required / -",
      "long ago": "403 session_refresh_required / -",
      "not signed in": "401 session_inactive / -",
    },
    totp: {
      right: "200 1050001",
      wrong: "400 4000008",
      expired: "410 self_service_flow_expired",
      replayed: "400 4000001",
      "other browser": "403 security_csrf_violation / 400",
      "no CSRF token": "403 security_csrf_violation / -",
      "somebody else": "403 security_identity_mismatch",
      "too many tries": "400 4000001",
      "no second factor": "403 session_aal2_required",
      "long ago": "403 session_refresh_required",
      "not signed in": "401 session_inactive",
    },
    webauthn: {
      right: "200 1050001 / 400 4000001",
      wrong: "400 4000008 / -",
      expired: "410 self_service_flow_expired / -",
      replayed: "400 4000008 / -",
      "other browser": "403 security_csrf_violation / -",
      "no CSRF token": "403 security_csrf_violation / -",
      "somebody else": "403 security_identity_mismatch / -",
      "no second factor": "403 session_aal2_required / -",
      "long ago": "403 session_refresh_required / -",
      "not signed in": "401 session_inactive / -",
    },
    lookup_secret: {
      right: "200 1050001",
      wrong: "400 4010004",
      expired: "410 self_service_flow_expired",
      replayed: "400 4000001",
      "other browser": "403 security_csrf_violation / 400",
      "no CSRF token": "403 security_csrf_violation / -",
      "somebody else": "403 security_identity_mismatch",
      "no second factor": "403 session_aal2_required",
      "long ago": "403 session_refresh_required",
      "not signed in": "401 session_inactive",
    },
    profile: {
      right: "200 1050001",
      wrong: "400 4000004",
      expired: "410 self_service_flow_expired",
      replayed: "200 1050001",
      "other browser": "403 security_csrf_violation / 400",
      "no CSRF token": "403 security_csrf_violation / -",
      "somebody else": "403 security_identity_mismatch",
      "no second factor": "403 session_aal2_required",
      "long ago": "200 1050001",
      "not signed in": "401 session_inactive",
    },
  },
};

export const openings = [
  "nobody",
  "signed in",
  "no second factor",
  "second step, not signed in",
  "other return_to",
  "looked at by another browser",
  "looked at, and there is none",
] as const;
export type Opening = (typeof openings)[number];

export const openingTable: Record<Kind, Partial<Record<Opening, string>>> = {
  login: {
    nobody: "200",
    "signed in": "400 session_already_available",
    "no second factor": "400 session_already_available",
    "second step, not signed in": "401 session_aal1_required",
    "other return_to": "400 self_service_flow_return_to_forbidden / -",
    "looked at by another browser": "403 security_csrf_violation / 200",
    "looked at, and there is none": "404",
  },
  registration: {
    nobody: "200",
    "signed in": "400 session_already_available / 200",
    "no second factor": "400 session_already_available / 200",
    "other return_to": "400 self_service_flow_return_to_forbidden / -",
    "looked at by another browser": "403 security_csrf_violation / 200",
    "looked at, and there is none": "404",
  },
  recovery: {
    nobody: "200",
    "signed in": "400 session_already_available / 200",
    "no second factor": "400 session_already_available / 200",
    "other return_to": "400 self_service_flow_return_to_forbidden / -",
    "looked at by another browser": "403 security_csrf_violation / 200",
    "looked at, and there is none": "404",
  },
  verification: {
    nobody: "200",
    "signed in": "200",
    "no second factor": "200",
    "other return_to": "400 self_service_flow_return_to_forbidden / -",
    "looked at by another browser": "403 security_csrf_violation / 200",
    "looked at, and there is none": "404",
  },
  settings: {
    nobody: "401 session_inactive",
    "signed in": "200",
    "no second factor": "403 session_aal2_required",
    "other return_to": "400 self_service_flow_return_to_forbidden / -",
    "looked at by another browser": "403 security_csrf_violation / 200",
    "looked at, and there is none": "404",
  },
};

/** For one client, out of a cell for both. */
export function expected(cell: string | undefined, isProgram: boolean): string {
  const [browser = "-", program = browser] = (cell ?? "-").split(" / ");
  return isProgram ? program : browser;
}

/** The same for people to read, as docs/identity.md has it. */
export function markdownOf(kind: Kind): string {
  const rows = Object.entries(table[kind]);
  const offered = rows.filter(([, cells]) => "right" in cells);
  const others = rows.filter(([, cells]) => !("right" in cells)).map(([method]) => method);
  const used = outcomes.filter((outcome) => offered.some(([, cells]) => outcome in cells));
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const noMethod = rows.find(([, cells]) => "not offered" in cells)![1]["not offered"]!;
  return [
    line(["method", ...used]),
    line(["method", ...used].map(() => "---")),
    ...offered.map(([method, cells]) =>
      line([method, ...used.map((outcome) => cells[outcome] ?? "-")]),
    ),
    "",
    `${others.join(", ")}: ${noMethod}`,
    "",
    ...openings.flatMap((what) => {
      const cell = openingTable[kind][what];
      return cell ? [`- ${what}: ${cell}`] : [];
    }),
  ].join("\n");
}
