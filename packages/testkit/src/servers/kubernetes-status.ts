/** Refusals in the words of a Kubernetes API server: `Status` objects. */

export interface Refusal {
  code: number;
  reason: string;
  message: string;
  headers?: Record<string, string>;
}

export class StatusError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export const statusBody = ({ code, reason, message }: Refusal): object => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message,
  reason,
  code,
});

const of = (code: number, reason: string, message: string, headers?: Record<string, string>) =>
  new StatusError({ code, reason, message, ...(headers && { headers }) });

export const unauthorized = () => of(401, "Unauthorized", "Unauthorized");
export const badRequest = (message: string) => of(400, "BadRequest", message);
export const notFound = (plural: string, name: string) =>
  of(404, "NotFound", `${plural} "${name}" not found`);
export const noSuchResource = () =>
  of(404, "NotFound", "the server could not find the requested resource");
export const alreadyExists = (plural: string, name: string) =>
  of(409, "AlreadyExists", `${plural} "${name}" already exists`);
export const conflict = (plural: string, name: string, why: string) =>
  of(409, "Conflict", `Operation cannot be fulfilled on ${plural} "${name}": ${why}`);
export const expired = () =>
  of(
    410,
    "Expired",
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.",
  );
export const tooOld = (since: number, oldest: number) =>
  of(410, "Expired", `too old resource version: ${since} (${oldest})`);
export const invalid = (kind: string, name: string, why: string) =>
  of(422, "Invalid", `${kind} "${name}" is invalid: ${why}`);
export const tooManyRequests = (seconds: number) =>
  of(429, "TooManyRequests", "Too many requests, please try again later.", {
    "Retry-After": String(seconds),
  });

export interface Attempted {
  verb: string;
  group: string;
  plural: string;
  namespace?: string | undefined;
  name?: string | undefined;
}

export const forbidden = (user: string, { verb, group, plural, namespace, name }: Attempted) =>
  of(
    403,
    "Forbidden",
    `${plural}${group && `.${group}`}${name ? ` "${name}"` : ""} is forbidden: User "${user}" cannot ${verb} resource "${plural}" in API group "${group}" ${
      namespace ? `in the namespace "${namespace}"` : "at the cluster scope"
    }`,
  );
