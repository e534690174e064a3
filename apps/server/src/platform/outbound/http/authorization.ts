/** How a request says who asks; the kinds that take one message. */
export type HttpAuth =
  | { kind: "basic"; username: string; password: string }
  | { kind: "bearer"; token: string };

/** The value of the header that says so. */
export function authorization(auth: HttpAuth): string {
  switch (auth.kind) {
    case "basic":
      return `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString("base64")}`;
    case "bearer":
      return `Bearer ${auth.token}`;
  }
}
