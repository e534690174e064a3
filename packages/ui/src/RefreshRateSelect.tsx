import { Select } from "./Select.tsx";
import { isRateAllowed, refreshRates } from "./refresh-rate.ts";

export interface RefreshRateSelectProps {
  rateMs: number;
  /** Length of the range that is looked at: quick rates are pointless for long ranges. */
  rangeMinutes: number;
  onChange: (rateMs: number) => void;
}

export function RefreshRateSelect({ rateMs, rangeMinutes, onChange }: RefreshRateSelectProps) {
  return (
    <Select
      label="Refresh rate"
      hideLabel
      value={String(rateMs)}
      options={refreshRates.map((rate) => ({
        value: String(rate.ms),
        label: rate.ms === 0 ? "Refresh: none" : `Refresh: ${rate.label}`,
        disabled: !isRateAllowed(rate.ms, rangeMinutes),
      }))}
      onChange={(value) => onChange(Number(value))}
    />
  );
}
