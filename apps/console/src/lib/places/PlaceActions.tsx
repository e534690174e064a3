import { useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { toastFailed } from "@mainstay/ui/toasts.ts";
import { messageOf } from "../api-error.ts";
import { LazyGuest } from "./LazyGuest.tsx";
import type { ActionGuest, Given, PlaceKind } from "./place.ts";
import { useGuests } from "./use-guests.ts";

/** Says why, and is gone. */
function Failed({ text, onClose }: { text: string; onClose: () => void }): ReactNode {
  const say = useEffectEvent(() => {
    toastFailed(text);
    onClose();
  });
  useEffect(() => say(), []);
  return null;
}

function Action<Props extends object>({
  guest,
  given,
}: {
  guest: ActionGuest<Props>;
  given: Props;
}) {
  const { history } = useRouter();
  const [isOpen, setIsOpen] = useState(false);
  const { label, icon: Icon } = guest;
  const close = () => setIsOpen(false);
  return (
    <>
      <Button
        icon={<Icon size={14} strokeWidth={1.75} />}
        onClick={() => ("to" in guest ? history.push(guest.to(given)) : setIsOpen(true))}
      >
        {label}
      </Button>
      {isOpen && "loadDialog" in guest && (
        <LazyGuest
          load={guest.loadDialog}
          props={{ ...given, onClose: close }}
          renderFailure={(error, retry) => (
            <Failed
              text={`${label} could not be opened: ${messageOf(error)}`}
              onClose={() => {
                retry();
                close();
              }}
            />
          )}
        />
      )}
    </>
  );
}

export interface PlaceActionsProps<Kind extends PlaceKind> {
  of: Kind;
  given: Given<Kind>;
}

/** What guests offer to do with a resource: a button each. */
export function PlaceActions<Kind extends PlaceKind>({ of, given }: PlaceActionsProps<Kind>) {
  return useGuests(of, "actions")
    .filter(({ isFor }) => isFor?.(given) ?? true)
    .map((guest) => <Action key={guest.id} guest={guest} given={given} />);
}
