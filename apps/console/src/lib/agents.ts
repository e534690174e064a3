/** The agent that is this server itself, and the one name by which it goes: in tabs, badges and columns. */
export const localId = "00000000-0000-0000-0000-000000000000";
export const localAgent = "local";

/** Whether something is of this server, and of no agent elsewhere. */
export const isOfHere = (agentId: string | null | undefined): boolean =>
  !agentId || agentId === localId;

/** The name of an agent elsewhere, for a badge; what is here needs none in a list of mostly such. */
export const elsewhere = (
  agent: { id: string | null; name: string | null } | null | undefined,
): string | undefined =>
  agent?.name && !isOfHere(agent.id) && agent.name !== localAgent ? agent.name : undefined;
