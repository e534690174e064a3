import { Monitor } from "lucide-react";
import { Suspense, useState } from "react";
import { Avatar } from "@mainstay/ui/Avatar.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { Menu } from "@mainstay/ui/Menu.tsx";
import { useSignOut } from "#features/identity/index.ts";
import { useSession } from "#lib/use-access.ts";

const KubeconfigDialog = lazyPart(() =>
  import("./popups/KubeconfigDialog.tsx").then((module) => module.KubeconfigDialog),
);
const loadPopup = () => import("./popups/UserMenuPopup.tsx");
const UserMenuPopup = lazyPart(() => loadPopup().then((module) => module.UserMenuPopup));

const longestTooltip = 80;

export function UserMenu() {
  const [isKubeconfigOpen, setIsKubeconfigOpen] = useState(false);
  const { person } = useSession();
  const { prepare, signOut, isBusy } = useSignOut();
  const name = person?.name || person?.email || "";

  return (
    <>
      <Menu
        label="User menu"
        onOpen={() => {
          if (person) prepare();
        }}
        loadPopup={loadPopup}
        renderPopup={(menu) => (
          <UserMenuPopup
            {...menu}
            onKubeconfig={() => setIsKubeconfigOpen(true)}
            onSignOut={() => void signOut()}
            isSigningOut={isBusy}
          />
        )}
        renderTrigger={(trigger) => (
          <button
            type="button"
            aria-label="User menu"
            data-tooltip={name.slice(0, longestTooltip) || "Settings"}
            className="flex size-7 items-center justify-center rounded-full"
            {...trigger}
          >
            {person ? (
              <Avatar name={name} src={person.avatar} size={26} />
            ) : (
              <Monitor size={16} strokeWidth={1.75} className="text-muted" />
            )}
          </button>
        )}
      />
      <Suspense>
        {isKubeconfigOpen && <KubeconfigDialog onClose={() => setIsKubeconfigOpen(false)} />}
      </Suspense>
    </>
  );
}
