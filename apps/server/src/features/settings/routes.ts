import type { Services } from "#platform/feature.ts";
import type { Http } from "#platform/http/route.ts";
import { listProperties } from "./list-properties.ts";
import { localProperties } from "./local-properties.ts";

export function routes(http: Http, { ctx: program }: Services): void {
  // Read now, so that the program does not start with a file that it cannot use.
  program.service(localProperties);
  http.get("/api/properties", { access: "session" }, ({ ctx }) => listProperties(ctx));
}
