import { useEffect, useEffectEvent, useState } from "react";

/**
 * A text field whose value is kept elsewhere and told only when typing pauses.
 * A change from elsewhere replaces what is shown.
 */
export function useDebouncedText(value: string, tell: (value: string) => void, delayMs: number) {
  const [shown, setShown] = useState(value);
  const [told, setTold] = useState(value);
  const [before, setBefore] = useState(value);
  if (value !== before) {
    setBefore(value);
    if (value !== told) {
      setShown(value);
      setTold(value);
    }
  }
  const say = useEffectEvent((text: string) => {
    setTold(text);
    tell(text);
  });
  useEffect(() => {
    if (shown === told) return;
    const timer = setTimeout(() => say(shown), delayMs);
    return () => clearTimeout(timer);
  }, [shown, told, delayMs]);
  return [shown, setShown] as const;
}
