import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { frontPageAt } from "#features/identity/front/front-pages.ts";
import { readAuthMode } from "#lib/auth-mode.ts";
import { watchTheme } from "#lib/theme.ts";
import { FrontPage, PageFailure } from "./FrontPage.tsx";

/** A page in front of the console alone, or the console: neither loads the other. */
async function load(): Promise<ReactNode> {
  const front = frontPageAt(window.location.pathname);
  try {
    // In development only: a build leaves this branch, and what it loads, out.
    if (import.meta.env.DEV && window.location.pathname === "/gallery") {
      const { Gallery } = await import("../../gallery/Gallery.tsx");
      return <Gallery />;
    }
    const loadConsole = () => import("../Console.tsx").then((module) => module.Console);
    // Fetched beside the answer: most servers do not send people elsewhere.
    const loading = front ? front.load() : loadConsole();
    loading.catch(() => undefined);
    const mode = await readAuthMode();
    if (mode.mode === "hosted") {
      const { openHostedDoor } = await import("#features/hosted/index.ts");
      return openHostedDoor(mode, loadConsole);
    }
    if (front) {
      document.title = `${front.title} · Mainstay`;
      return <FrontPage page={await loading} />;
    }
    const Console = await loading;
    return <Console />;
  } catch (error) {
    return <PageFailure error={error} />;
  }
}

export async function start(container: HTMLElement): Promise<void> {
  watchTheme();
  createRoot(container).render(<StrictMode>{await load()}</StrictMode>);
}
