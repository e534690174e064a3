import { Outlet, useMatches } from "@tanstack/react-router";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { NoInlineStyles } from "@mainstay/ui/NoInlineStyles.tsx";
import { PageSkeleton } from "@mainstay/ui/Skeletons.tsx";
import { SignInNeeded, startUpQuery, Unauthorized } from "#features/identity/index.ts";
import { loadShortcutDialog } from "#features/help/index.ts";
import { messageOf } from "#lib/api-error.ts";
import { followChanges } from "#lib/live.ts";
import { PageBarSlots } from "#lib/PageBar.tsx";
import { type Session, SessionProvider, useAccess } from "#lib/use-access.ts";
import { usePageKey } from "#lib/use-page-key.ts";
import { NotFound } from "./NotFound.tsx";
import { features } from "../features.ts";
import { Notices } from "./Notices.tsx";
import { OfflineBanner } from "./OfflineBanner.tsx";
import { detailsOf } from "./RouteError.tsx";
import { Sidebar } from "./Sidebar.tsx";
import { TopBar } from "./TopBar.tsx";
import { useSidebar } from "./use-sidebar.ts";

/** The page itself, unless it is switched off or may not be read. */
function PermittedPage() {
  const access = useAccess();
  const page = useMatches({ select: (matches) => matches.at(-1)?.staticData.page });
  const gate = page ? access.gate(page) : "open";
  if (gate === "off") return <NotFound />;
  return gate === "forbidden" ? <Unauthorized /> : <Outlet />;
}

const ShortcutDialog = lazyPart(loadShortcutDialog);

function Shortcuts() {
  const [isOpen, setIsOpen] = useState(false);
  usePageKey("?", () => setIsOpen(true));
  return <Suspense>{isOpen && <ShortcutDialog onClose={() => setIsOpen(false)} />}</Suspense>;
}

const notices = features.flatMap((feature) => feature.notices ?? []);

function Frame({ isLoading }: { isLoading: boolean }) {
  const sidebar = useSidebar();
  const [start, setStart] = useState<HTMLElement | null>(null);
  const [end, setEnd] = useState<HTMLElement | null>(null);
  return (
    <PageBarSlots value={{ start, end }}>
      <a
        href="#content"
        className="floating fixed top-1 left-1 z-100 -translate-y-20 px-3 py-1.5 focus:translate-y-0"
      >
        Skip to content
      </a>
      <div className="flex h-full min-w-0">
        <Sidebar sidebar={sidebar} isLoading={isLoading} />
        <div className="relative flex min-w-0 flex-1 flex-col">
          <TopBar
            isLoading={isLoading}
            isPhone={sidebar.isPhone}
            onOpenMenu={sidebar.openDrawer}
            startRef={setStart}
            endRef={setEnd}
          />
          <OfflineBanner />
          <main
            id="content"
            tabIndex={-1}
            // What lies over the page lies over all of it.
            className="isolate flex min-h-0 min-w-0 flex-1 flex-col outline-none"
          >
            {isLoading ? <PageSkeleton /> : <PermittedPage />}
          </main>
          {!isLoading && <Notices notices={notices} />}
          <Shortcuts />
        </div>
      </div>
    </PageBarSlots>
  );
}

const nobody: Session = { person: null, roles: [], properties: [], about: null };

/** The frame of every page that needs a session: start-up first, then sidebar, top bar and page. */
export function Shell() {
  const client = useQueryClient();
  const { data: session, error, refetch } = useQuery(startUpQuery(client));
  const isStarted = session !== undefined;

  useEffect(() => (isStarted ? followChanges(client) : undefined), [client, isStarted]);

  useEffect(() => {
    if (error instanceof SignInNeeded) window.location.replace(error.to);
  }, [error]);

  // Who is there already goes on with what is known; the next change or refresh asks again.
  if (error && !isStarted && !(error instanceof SignInNeeded)) {
    return (
      <main className="flex h-full flex-col justify-center overflow-auto">
        <h1 className="sr-only">Mainstay</h1>
        <ErrorDisplay
          title="The console could not start"
          message={messageOf(error)}
          details={detailsOf(error)}
          onRetry={() => void refetch()}
        />
      </main>
    );
  }
  return (
    <NoInlineStyles>
      {/* Before anybody is known the same places are there with nothing in them, so that nothing moves afterwards. */}
      <SessionProvider session={session ?? nobody}>
        <Frame isLoading={!session} />
      </SessionProvider>
    </NoInlineStyles>
  );
}
