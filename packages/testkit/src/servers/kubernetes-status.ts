/** Refusals in the words of a Kubernetes API server: `Status` objects. */

export interface Refusal {
  code: number;
  reason: string;
  message: string;
  headers?: Record<string, string>;
  /** Where a list goes on all the same. */
  next?: string;
}

export class StatusError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export const statusBody = ({ code, reason, message, next }: Refusal): object => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: next === undefined ? {} : { continue: next },
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
/** With a token by which the rest can be had as it is now. */
export const expired = (next: string) =>
  new StatusError({
    code: 410,
    reason: "Expired",
    message:
      "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    next,
  });
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
