import { Copy } from "lucide-react";
import { useState } from "react";
import type { Role } from "@mainstay/contract/permissions.ts";
import {
  type CreatedAccessToken,
  grantableRoles,
  MAX_TOKEN_NAME_LENGTH,
} from "@mainstay/contract/tokens.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { CheckboxField, SelectField } from "@mainstay/ui/fields/ChoiceFields.tsx";
import { TextField } from "@mainstay/ui/fields/TextField.tsx";
import { copyText } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { FormDialog } from "#lib/FormDialog.tsx";
import { useAccess, useSession } from "#lib/use-access.ts";
import { useTokenChanges } from "./mutations.ts";

const dayMs = 24 * 60 * 60 * 1000;
const lifetimes = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "never", label: "Never" },
];

/** Makes a token; what it reads is shown once, afterwards. */
export function TokenDialog({ onClose }: { onClose: () => void }) {
  const { roles: own } = useSession();
  const maySetServices = useAccess().may("write", "rbac");
  const [name, setName] = useState("");
  const [kind, setKind] = useState<"personal" | "service">("personal");
  const [isLimited, setIsLimited] = useState(false);
  const [roles, setRoles] = useState<readonly Role[]>([]);
  const [days, setDays] = useState("90");
  const [errors, setErrors] = useState<{ name?: string; roles?: string }>({});
  const [refusal, setRefusal] = useState<string>();
  const [created, setCreated] = useState<CreatedAccessToken | null>(null);
  const { create } = useTokenChanges();
  const needsRoles = kind === "service" || isLimited;

  const save = () => {
    setRefusal(undefined);
    const found = {
      ...(name.trim() === "" ? { name: "This field is required" } : {}),
      ...(name.trim().length > MAX_TOKEN_NAME_LENGTH
        ? { name: `At most ${MAX_TOKEN_NAME_LENGTH} characters` }
        : {}),
      ...(needsRoles && roles.length === 0 ? { roles: "Please select any role" } : {}),
    };
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    create.mutate(
      {
        name: name.trim(),
        kind,
        roles: needsRoles ? [...roles] : null,
        expires_at:
          days === "never" ? null : new Date(Date.now() + Number(days) * dayMs).toISOString(),
      },
      { onError: (failure) => setRefusal(messageOf(failure)), onSuccess: setCreated },
    );
  };

  if (created)
    return (
      <Dialog
        title={`Token ${created.name}`}
        size="small"
        keepOpenOnOutsidePress
        onClose={onClose}
        bodyClassName="gap-3 p-4"
        footer={
          <>
            <Button onClick={onClose}>Close</Button>
            <Button
              kind="primary"
              icon={<Copy size={14} strokeWidth={1.75} />}
              onClick={() => void copyText(created.access_token)}
            >
              Copy token
            </Button>
          </>
        }
      >
        <p className="m-0 text-sm">
          Copy the token now. It is shown only this once; the server keeps no more than its hash.
        </p>
        <input
          readOnly
          aria-label="Token"
          value={created.access_token}
          onFocus={(event) => event.target.select()}
          className="field w-full font-mono text-xs"
        />
        <p className="m-0 text-xs text-muted">
          Programs send it as <code className="font-mono">Authorization: Bearer …</code>; the
          command line reads it from <code className="font-mono">MAINSTAY_TOKEN</code>.
        </p>
      </Dialog>
    );
  return (
    <FormDialog
      title="Create access token"
      action="Create"
      busyAction="Creating"
      isBusy={create.isPending}
      error={refusal}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        value={name}
        onChange={setName}
        autoComplete="off"
        hint="What uses it, so that it can be told from others."
        error={errors.name}
      />
      {maySetServices && (
        <SelectField
          label="For"
          value={kind}
          options={[
            { value: "personal", label: "Me: it ends with my account" },
            { value: "service", label: "A service: it has roles of its own" },
          ]}
          onChange={(value) => setKind(value === "service" ? "service" : "personal")}
        />
      )}
      {kind === "personal" && (
        <CheckboxField
          label="Allow less than I am allowed"
          checked={isLimited}
          onChange={setIsLimited}
        />
      )}
      {needsRoles && (
        <fieldset className="m-0 border-0 p-0" aria-invalid={errors.roles !== undefined}>
          <legend className="text-xs text-muted">Roles</legend>
          <div className="flex flex-wrap gap-x-4">
            {grantableRoles(own).map((role) => (
              <CheckboxField
                key={role}
                label={role}
                checked={roles.includes(role)}
                onChange={(checked) =>
                  setRoles(checked ? [...roles, role] : roles.filter((one) => one !== role))
                }
              />
            ))}
          </div>
          {errors.roles !== undefined && (
            <span role="alert" className="text-xs text-unhealthy-fg">
              {errors.roles}
            </span>
          )}
        </fieldset>
      )}
      <SelectField label="Expires" value={days} options={lifetimes} onChange={setDays} />
    </FormDialog>
  );
}
