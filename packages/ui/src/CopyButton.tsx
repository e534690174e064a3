import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, IconButton } from "./Button.tsx";
import { copyText } from "./toasts.ts";

export interface CopyButtonProps {
  /** What is copied; asked for when it is, if it is costly to make. */
  text: string | (() => string);
  label?: string;
  /** Said afterwards. */
  done?: string;
  /** Writes the label beside the icon. */
  isLabelled?: boolean;
  className?: string;
}

const confirmedMs = 1_500;

/** Copies something and says so. */
export function CopyButton({
  text,
  label = "Copy",
  done,
  isLabelled = false,
  className,
}: CopyButtonProps) {
  const [copies, setCopies] = useState(0);
  useEffect(() => {
    if (copies === 0) return;
    const timer = setTimeout(() => setCopies(0), confirmedMs);
    return () => clearTimeout(timer);
  }, [copies]);

  const icon =
    copies > 0 ? <Check size={14} strokeWidth={1.75} /> : <Copy size={14} strokeWidth={1.75} />;
  const copy = async () => {
    const isCopied = await copyText(typeof text === "string" ? text : text(), done);
    if (isCopied) setCopies((count) => count + 1);
  };
  return isLabelled ? (
    <Button icon={icon} className={className} onClick={() => void copy()}>
      {label}
    </Button>
  ) : (
    <IconButton label={label} icon={icon} className={className} onClick={() => void copy()} />
  );
}
