import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { makeQueryClient } from "./app/query-client.ts";
import { makeRouter } from "./app/router.tsx";
import { watchTheme } from "#lib/theme.ts";
import "./styles.css";

const queryClient = makeQueryClient();
const router = makeRouter(queryClient);
const container = document.getElementById("root");
if (!container) throw new Error("index.html has no element with the id root.");

watchTheme();
createRoot(container).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
