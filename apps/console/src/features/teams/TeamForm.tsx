import { useState } from "react";
import { parseDocument, stringify } from "yaml";
import { TextField } from "@mainstay/ui/fields/TextField.tsx";
import { YamlEditor } from "@mainstay/ui/yaml-editor/YamlEditor.tsx";
import type { Team, TeamInput } from "./queries.ts";

export interface TeamFormState {
  name: string;
  icon: string;
  spec: string;
  /** What is wrong, once it was asked to be saved. */
  errors: { name?: string; spec?: string };
}

export const teamFormOf = (team: Team | null): TeamFormState => ({
  name: team?.name ?? "",
  icon: team?.icon ?? "",
  spec: team?.spec && Object.keys(team.spec).length > 0 ? stringify(team.spec) : "",
  errors: {},
});

/** What is to be saved, or what is wrong with it. */
export function readTeamForm(
  form: TeamFormState,
): { team: TeamInput } | Pick<TeamFormState, "errors"> {
  const errors: TeamFormState["errors"] = {};
  if (form.name.trim() === "") errors.name = "This field is required";
  let spec: unknown = null;
  if (form.spec.trim() !== "") {
    const document = parseDocument(form.spec);
    const [problem] = document.errors;
    spec = problem ? null : (document.toJS({ maxAliasCount: 100 }) as unknown);
    if (problem) errors.spec = problem.message.split("\n")[0] ?? "The text is not valid YAML.";
    else if (typeof spec !== "object" || Array.isArray(spec))
      errors.spec = "Spec must be a mapping: keys with their values.";
  }
  if (Object.keys(errors).length > 0) return { errors };
  return {
    team: {
      name: form.name.trim(),
      icon: form.icon.trim() === "" ? null : form.icon.trim(),
      spec: spec as TeamInput["spec"],
    },
  };
}

/** Name, icon and spec of a team. */
export function TeamForm({
  form,
  onChange,
  readOnly = false,
}: {
  form: TeamFormState;
  onChange: (form: TeamFormState) => void;
  readOnly?: boolean;
}) {
  return (
    <>
      <TextField
        label="Name"
        required
        value={form.name}
        readOnly={readOnly}
        maxLength={128}
        onChange={(name) => onChange({ ...form, name })}
        error={form.errors.name}
      />
      <TextField
        label="Icon"
        value={form.icon}
        readOnly={readOnly}
        maxLength={256}
        onChange={(icon) => onChange({ ...form, icon })}
      />
      <div className="flex min-h-60 flex-1 flex-col gap-1">
        <span className="text-xs text-muted">Spec</span>
        <YamlEditor
          label="Spec"
          value={form.spec}
          readOnly={readOnly}
          onChange={(spec) => onChange({ ...form, spec })}
        />
        {form.errors.spec !== undefined && (
          <span role="alert" className="text-xs text-unhealthy-fg">
            {form.errors.spec}
          </span>
        )}
      </div>
    </>
  );
}

export type TeamFormProps = Parameters<typeof TeamForm>[0];
export const useTeamForm = (team: Team | null) => useState(() => teamFormOf(team));
