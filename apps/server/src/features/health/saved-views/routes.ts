import { z } from "zod";
import type { Http } from "#platform/http/route.ts";
import {
  changeView,
  deleteView,
  listViews,
  NewView,
  saveView,
  ViewChange,
  ViewsOfPage,
} from "./saved-views.ts";

const ViewId = z.object({ id: z.guid("You have no such view.") });

export function routes(http: Http): void {
  http.get("/api/saved-views", { access: "session", query: ViewsOfPage }, ({ ctx, query }) =>
    listViews(ctx, query),
  );
  http.post(
    "/api/saved-views",
    { access: "session", body: NewView, status: 201 },
    ({ ctx, body }) => saveView(ctx, body),
  );
  http.patch(
    "/api/saved-views/:id",
    { access: "session", params: ViewId, body: ViewChange },
    ({ ctx, params, body }) => changeView(ctx, params.id, body),
  );
  http.delete("/api/saved-views/:id", { access: "session", params: ViewId }, ({ ctx, params }) =>
    deleteView(ctx, params.id),
  );
}
