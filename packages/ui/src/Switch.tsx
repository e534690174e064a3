import { classNames } from "./class-names.ts";

export interface SwitchProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

export function Switch({ label, checked, onChange, disabled }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={checked}
      disabled={disabled}
      onClick={() => onChange(!checked)}
      className="flex min-h-7 w-full items-center justify-between gap-3 rounded-control text-left text-sm disabled:opacity-55"
    >
      <span className="min-w-0 truncate">{label}</span>
      <span
        aria-hidden="true"
        className={classNames(
          "flex h-4 w-7 shrink-0 items-center rounded-full border p-px transition-colors duration-120",
          checked ? "justify-end border-accent bg-accent" : "border-control bg-sunken",
        )}
      >
        <span
          className={classNames("size-3 rounded-full", checked ? "bg-accent-text" : "bg-control")}
        />
      </span>
    </button>
  );
}
