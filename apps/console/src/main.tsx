import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { frontPageAt } from "#features/identity/front-pages.ts";
import { watchTheme } from "#lib/theme.ts";
import { FrontPage, PageFailure } from "./app/FrontPage.tsx";
import "./styles.css";

/** A page in front of the console alone, or the console: neither loads the other. */
async function load(): Promise<ReactNode> {
  const front = frontPageAt(window.location.pathname);
  try {
    // In development only: a build leaves this branch, and what it loads, out.
    if (import.meta.env.DEV && window.location.pathname === "/gallery") {
      const { Gallery } = await import("./gallery/Gallery.tsx");
      return <Gallery />;
    }
    if (front) {
      document.title = `${front.title} · Mainstay`;
      return <FrontPage page={await front.load()} />;
    }
    const { Console } = await import("./app/Console.tsx");
    return <Console />;
  } catch (error) {
    return <PageFailure error={error} />;
  }
}

const container = document.getElementById("root");
if (!container) throw new Error("index.html has no element with the id root.");
watchTheme();
createRoot(container).render(<StrictMode>{await load()}</StrictMode>);
