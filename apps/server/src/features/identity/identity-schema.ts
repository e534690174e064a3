import { MAX_ADDRESS_LENGTH } from "#platform/address.ts";
import type { Exchange } from "./flows/exchange.ts";
import { notLocated } from "./flows/self-service-error.ts";
import { MAX_NAME_LENGTH } from "./traits.ts";

const ID = "default";

/** What is known about people, for programs that build their own forms. */
const schema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Person",
  type: "object",
  properties: {
    traits: {
      type: "object",
      properties: {
        email: { type: "string", format: "email", title: "E-mail", maxLength: MAX_ADDRESS_LENGTH },
        name: {
          type: "object",
          properties: {
            first: { type: "string", title: "First name", maxLength: MAX_NAME_LENGTH },
            last: { type: "string", title: "Last name", maxLength: MAX_NAME_LENGTH },
          },
        },
      },
      required: ["email"],
      additionalProperties: false,
    },
  },
} as const;

export const listSchemas = async () => [{ id: ID, schema }];

/** By its id, or by the form of it that is in `schema_url`. */
export async function getSchema({
  params,
}: Exchange & { params: Record<string, string> }): Promise<typeof schema> {
  const { id = "" } = params;
  if (id !== ID && Buffer.from(id, "base64url").toString() !== ID) throw notLocated("schema");
  return schema;
}
