import type { Kind } from "./flows.ts";
import { type MethodName, methodNames } from "./flow-walks.ts";

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

type Cells = Partial<Record<Outcome, string>>;

/** What every method answers alike. */
const common: Cells = {
  expired: "410 self_service_flow_expired",
  "other browser": "403 security_csrf_violation / 400",
  "no CSRF token": "403 security_csrf_violation / -",
};

/** What is done by a mail leads on to the fresh form. */
const mailed: Cells = { ...common, expired: "303" };

/** In a flow that is somebody's own. */
const own: Cells = {
  ...common,
  "somebody else": "403 security_identity_mismatch",
  "no second factor": "403 session_aal2_required",
  "long ago": "403 session_refresh_required",
  "not signed in": "401 session_inactive",
};

/** Of a method that no program can use. */
const byBrowser = (cells: Cells): Cells =>
  Object.fromEntries(
    Object.entries(cells).map(([outcome, cell]) => [outcome, `${expected(cell, false)} / -`]),
  );

/** What is not done by a mail. */
const beyondMail = methodNames.filter((name) => name !== "code" && name !== "link");

const notOffered = (answer: string, ...methods: MethodName[]) =>
  Object.fromEntries(methods.map((method) => [method, { "not offered": answer }]));

export const table: Record<Kind, Partial<Record<MethodName, Cells>>> = {
  login: {
    password: {
      ...common,
      right: "200",
      wrong: "400 4000006",
      replayed: "410 self_service_flow_expired",
      "too many tries": "400 4000001",
      "no second factor": "422 browser_location_change_required / 200",
      "signed in": "400 session_already_available",
      "not offered": "400 4010002",
    },
    code: {
      ...common,
      right: "200",
      wrong: "400 4010008",
      replayed: "410 self_service_flow_expired",
      "too many tries": "400 4010008",
      "no second factor": "422 browser_location_change_required / 200",
      "signed in": "400 session_already_available",
      "not offered": "400 4010002",
    },
    oidc: {
      ...byBrowser(common),
      right: "422 browser_location_change_required / 400 4010002",
      wrong: "400 4010002 / -",
      replayed: "422 browser_location_change_required / -",
      "no second factor": "422 browser_location_change_required / -",
      "signed in": "400 session_already_available / -",
      "not offered": "400 4010002",
    },
    passkey: {
      ...byBrowser(common),
      right: "200 / 400 4000015",
      wrong: "400 4000015 / -",
      replayed: "410 self_service_flow_expired / -",
      "no second factor": "422 browser_location_change_required / -",
      "signed in": "400 session_already_available / -",
      "not offered": "400 4010002",
    },
    totp: {
      ...common,
      right: "200",
      wrong: "400 4000008",
      replayed: "401 session_aal1_required",
      "somebody else": "401 session_aal1_required",
      "too many tries": "400 4000001",
      "not signed in": "401 session_aal1_required",
      "not offered": "400 4010002",
    },
    webauthn: {
      ...byBrowser(common),
      right: "200 / 400 4000013",
      wrong: "400 4000008 / -",
      replayed: "401 session_aal1_required / -",
      "somebody else": "401 session_aal1_required / -",
      "not signed in": "401 session_aal1_required / -",
      "not offered": "400 4010002",
    },
    lookup_secret: {
      ...common,
      right: "200",
      wrong: "400 4000016",
      replayed: "401 session_aal1_required",
      "somebody else": "401 session_aal1_required",
      "too many tries": "400 4000001",
      "not signed in": "401 session_aal1_required",
      "not offered": "400 4010002",
    },
    ...notOffered("400 4010002", "link", "profile"),
  },
  registration: {
    password: {
      ...common,
      right: "400 1040005",
      wrong: "400 4000032",
      replayed: "400 4010003",
      "signed in": "400 session_already_available / -",
    },
    code: {
      ...common,
      right: "200",
      wrong: "400 4040003",
      replayed: "410 self_service_flow_expired",
      "too many tries": "400 4040003",
      "signed in": "400 session_already_available / -",
    },
    oidc: {
      ...byBrowser(common),
      right: "422 browser_location_change_required / 400 4010003",
      wrong: "400 4010003 / -",
      replayed: "422 browser_location_change_required / -",
      "signed in": "400 session_already_available / -",
    },
    ...notOffered("400 4010003", "link", "passkey", "totp", "webauthn", "lookup_secret", "profile"),
  },
  recovery: {
    code: {
      ...mailed,
      right: "422 browser_location_change_required / 200 1060001",
      wrong: "400 4060006",
      replayed: "303",
      "too many tries": "400 4060002",
      "signed in": "400 session_already_available / -",
    },
    link: {
      ...byBrowser(mailed),
      right: "422 browser_location_change_required / 400 4010005",
      wrong: "400 4060004 / -",
      replayed: "303 / -",
      "signed in": "422 browser_location_change_required / -",
    },
    ...notOffered("400 4010005", ...beyondMail),
  },
  verification: {
    code: {
      ...mailed,
      right: "200 1080002",
      wrong: "400 4070006",
      replayed: "400 4010006",
      "too many tries": "400 4070003",
    },
    link: {
      ...byBrowser(mailed),
      right: "200 1080002 / 400 4010006",
      wrong: "400 4070001 / -",
      replayed: "400 4010006 / -",
    },
    ...notOffered("400 4010006", ...beyondMail),
  },
  settings: {
    password: {
      ...own,
      right: "200 1050001",
      wrong: "400 4000032",
      replayed: "200 1050001",
    },
    oidc: {
      ...byBrowser(own),
      right: "422 browser_location_change_required / 400 4010004",
      wrong: "400 4010004 / -",
      replayed: "422 browser_location_change_required / -",
    },
    passkey: {
      ...byBrowser(own),
      right: "200 1050001 / 400 4000001",
      wrong: "400 4000008 / -",
      replayed: "400 4000008 / -",
    },
    totp: {
      ...own,
      right: "200 1050001",
      wrong: "400 4000008",
      replayed: "400 4000001",
      "too many tries": "400 4000001",
    },
    webauthn: {
      ...byBrowser(own),
      right: "200 1050001 / 400 4000001",
      wrong: "400 4000008 / -",
      replayed: "400 4000008 / -",
    },
    lookup_secret: {
      ...own,
      right: "200 1050001",
      wrong: "400 4010004",
      replayed: "400 4000001",
    },
    profile: {
      ...own,
      right: "200 1050001",
      wrong: "400 4000004",
      replayed: "200 1050001",
      "long ago": "200 1050001",
    },
    ...notOffered("400 4010004", "code", "link"),
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
