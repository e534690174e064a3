import { WifiOff } from "lucide-react";
import { useSyncExternalStore } from "react";

function subscribe(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}

/** Says that what is shown may be old, for as long as the browser has no network. */
export function OfflineBanner() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  if (isOnline) return null;
  return (
    <div
      role="status"
      className="flex shrink-0 items-center justify-center gap-2 border-b bg-warning-bg px-4 py-1.5 text-sm text-warning-fg"
    >
      <WifiOff aria-hidden="true" size={14} strokeWidth={1.75} />
      No internet connection. What you see may be out of date.
    </div>
  );
}
