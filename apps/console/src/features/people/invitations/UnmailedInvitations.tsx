import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { readStored, writeStored } from "@mainstay/ui/browser-storage.ts";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { hosted } from "#lib/hosted.ts";
import { unmailedInvitationsQuery } from "./queries.ts";

const InvitationNotices = lazyPart(() =>
  import("./InvitationNotices.tsx").then((module) => module.InvitationNotices),
);

const hiddenKey = "mainstay.invitations.hidden";
const readHidden = (): string[] => (readStored(hiddenKey) ?? "").split(" ");

/** Says whom no mail has told that they are invited, with the link for whoever invited them. Most of the time nobody. */
export function UnmailedInvitations() {
  const [hidden, setHidden] = useState(readHidden);
  const { data = [] } = useQuery({ ...unmailedInvitationsQuery, enabled: !hosted() });
  const told = data.filter(({ id }) => !hidden.includes(id));
  if (told.length === 0) return null;
  return (
    <Suspense>
      <InvitationNotices
        told={told}
        onHide={(id) => {
          const all = [...hidden, id].slice(-50);
          writeStored(hiddenKey, all.join(" "));
          setHidden(all);
        }}
      />
    </Suspense>
  );
}
