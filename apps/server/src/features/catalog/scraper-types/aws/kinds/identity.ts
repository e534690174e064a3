import type { AwsObject, AwsValue } from "#platform/outbound/aws/aws-value.ts";
import { readJson } from "#platform/outbound/http/read-json.ts";
import { queryPages } from "../apis.ts";
import { type AwsKind, type Area, found, to } from "../area.ts";
import { objectsIn, tagsIn, textIn, textsIn, timeIn, without } from "../read-object.ts";

const roleType = "AWS::IAM::Role";
const userType = "AWS::IAM::User";
const groupType = "AWS::IAM::Group";
const policyType = "AWS::IAM::Policy";
const profileType = "AWS::IAM::InstanceProfile";

/** What a role or a user is, as one request tells it with everything that hangs on it. */
async function* details({ client }: Area, filter: string, list: string): AsyncGenerator<AwsObject> {
  const pages = queryPages(client, "iam", "GetAccountAuthorizationDetails", {
    parameters: { "Filter.member.1": filter, MaxItems: "200" },
    asked: "Marker",
  });
  for await (const page of pages) yield* objectsIn(page, list);
}

/** Policies are JSON that is written into an address. */
function policy(value: AwsValue | undefined): AwsValue | undefined {
  if (typeof value !== "string") return value;
  try {
    return (readJson(decodeURIComponent(value)) as AwsValue | undefined) ?? value;
  } catch {
    return value;
  }
}

function withPolicies(of: AwsObject, key: string, document: string): AwsObject {
  const list = objectsIn(of, key);
  if (list.length === 0) return of;
  return {
    ...of,
    [key]: list.map((one) => ({ ...one, [document]: policy(one[document]) ?? "" })),
  };
}

/** Only those of the account are items: Amazon's own are thousands. */
const attached = (of: AwsObject, { account }: Area, relation: string) =>
  objectsIn(of, "AttachedManagedPolicies")
    .map((one) => textIn(one, "PolicyArn"))
    .map((arn) => (arn.includes(`::${account}:`) ? to(policyType, arn, relation) : undefined));

const roles: AwsKind = {
  names: ["Roles", "Role"],
  types: [roleType],
  isGlobal: true,
  async *read(area) {
    for await (const role of details(area, "Role", "RoleDetailList"))
      yield found(area, {
        type: roleType,
        id: textIn(role, "Arn"),
        aliases: [textIn(role, "RoleId")],
        name: textIn(role, "RoleName"),
        config: {
          ...withPolicies(
            without(role, "RoleLastUsed", "InstanceProfileList"),
            "RolePolicyList",
            "PolicyDocument",
          ),
          AssumeRolePolicyDocument: policy(role.AssumeRolePolicyDocument) ?? "",
        },
        health: "healthy",
        isGlobal: true,
        createdAt: timeIn(role, "CreateDate"),
        relations: attached(role, area, "RolePolicy"),
      });
  },
};

const users: AwsKind = {
  names: ["User", "Users"],
  types: [userType],
  isGlobal: true,
  async *read(area) {
    for await (const user of details(area, "User", "UserDetailList"))
      yield found(area, {
        type: userType,
        id: textIn(user, "Arn"),
        aliases: [textIn(user, "UserId")],
        name: textIn(user, "UserName"),
        config: withPolicies(user, "UserPolicyList", "PolicyDocument"),
        health: "healthy",
        isGlobal: true,
        createdAt: timeIn(user, "CreateDate"),
        relations: [
          ...attached(user, area, "UserPolicy"),
          ...textsIn(user, "GroupList").map((name) =>
            to(groupType, `${area.account}/group/${name}`, "GroupUser", {
              isIncoming: true,
            }),
          ),
        ],
      });
  },
};

const groups: AwsKind = {
  names: ["Group", "Groups"],
  types: [groupType],
  isGlobal: true,
  async *read(area) {
    for await (const group of details(area, "Group", "GroupDetailList"))
      yield found(area, {
        type: groupType,
        id: textIn(group, "Arn"),
        aliases: [textIn(group, "GroupId"), `${area.account}/group/${textIn(group, "GroupName")}`],
        name: textIn(group, "GroupName"),
        config: withPolicies(group, "GroupPolicyList", "PolicyDocument"),
        health: "healthy",
        isGlobal: true,
        createdAt: timeIn(group, "CreateDate"),
        relations: attached(group, area, "GroupPolicy"),
      });
  },
};

const policies: AwsKind = {
  names: ["Policy", "Policies"],
  types: [policyType],
  isGlobal: true,
  async *read(area) {
    for await (const one of details(area, "LocalManagedPolicy", "Policies"))
      yield found(area, {
        type: policyType,
        id: textIn(one, "Arn"),
        aliases: [textIn(one, "PolicyId")],
        name: textIn(one, "PolicyName"),
        config: withPolicies(one, "PolicyVersionList", "Document"),
        health: "healthy",
        isGlobal: true,
        description: textIn(one, "Description"),
        createdAt: timeIn(one, "CreateDate"),
      });
  },
};

const profiles: AwsKind = {
  names: ["Profiles", "InstanceProfile"],
  types: [profileType],
  isGlobal: true,
  async *read(area) {
    const pages = queryPages(area.client, "iam", "ListInstanceProfiles", {
      parameters: { MaxItems: "200" },
      asked: "Marker",
    });
    for await (const page of pages)
      for (const profile of objectsIn(page, "InstanceProfiles")) {
        const held = objectsIn(profile, "Roles");
        yield found(area, {
          type: profileType,
          id: textIn(profile, "Arn"),
          aliases: [textIn(profile, "InstanceProfileId")],
          name: textIn(profile, "InstanceProfileName"),
          config: {
            ...without(profile, "Roles"),
            Roles: held.map((role) => textIn(role, "Arn")),
          },
          health: "healthy",
          isGlobal: true,
          tags: tagsIn(profile, "Tags"),
          createdAt: timeIn(profile, "CreateDate"),
          relations: held.map((role) => to(roleType, textIn(role, "Arn"), "InstanceProfileRole")),
        });
      }
  },
};

export const identity: readonly AwsKind[] = [roles, users, groups, policies, profiles];
