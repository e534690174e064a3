import { useRef, useState } from "react";
import { ApiError, messageOf } from "#lib/api-error.ts";
import { hosted } from "#lib/hosted.ts";
import { paths } from "#lib/paths.ts";
import { toastFailed } from "@mainstay/ui/toasts.ts";
import { createLogout, logOut } from "./front/calls.ts";

/** This page, without the form that was open on it: that belonged to the session that ends. */
function placeToReturn(): string {
  const url = new URL(window.location.href);
  url.searchParams.delete("flow");
  return `${url.pathname}${url.search}`;
}

/** Sign out and, after the next sign-in, be back on this page (K17 when the menu opens, K18 when it is chosen). */
export function useSignOut() {
  const token = useRef<Promise<{ logout_token: string } | null>>(null);
  const [isBusy, setIsBusy] = useState(false);

  const prepare = () => {
    if (hosted()) return;
    token.current = createLogout().catch((error: unknown) => {
      // Nobody is signed in any more: there is nothing to sign out of. Other failures show when it is tried.
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    });
    // Whether it failed matters only if it is used.
    token.current.catch(() => undefined);
  };

  const signOut = async () => {
    setIsBusy(true);
    const elsewhere = hosted();
    if (elsewhere) return elsewhere.signOut();
    const here = placeToReturn();
    try {
      const logout = await (token.current ?? createLogout());
      if (logout) await logOut(logout.logout_token, here);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 0) {
        setIsBusy(false);
        return toastFailed(`You are still signed in: ${messageOf(error)}`);
      }
      // The specification leaves for the sign-in whatever was answered (K18).
    }
    window.location.assign(paths.login({ return_to: here }));
  };

  return { prepare, signOut, isBusy };
}
