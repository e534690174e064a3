import { useEffect, useEffectEvent } from "react";

/** Says, once, that something could not be opened; there is no room for more where it would stand. */
export function FailedGuest({ onShown }: { onShown: () => void }) {
  const tell = useEffectEvent(onShown);
  useEffect(() => tell(), []);
  return null;
}
