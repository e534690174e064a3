import type { ItemReference } from "../../scraping/scraped.ts";

/** Types whose items have the id that everybody calls them by; all others have their full name (ARN). */
const byTheirId = /^AWS::(?:EC2|EBS|S3|EFS|Route53|Region|AvailabilityZone|::Account)/;

interface Place {
  account: string;
  region: string;
}

/** Services whose things belong to no region. */
const global = /^AWS::(?:IAM|Route53|S3)::/;

/** An alias by which those who know only a name can find a thing that has a full name. */
export const shortName = (type: string, name: string, { account, region }: Place): string =>
  global.test(type) ? `${type}/${account}/${name}` : `${type}/${account}/${region}/${name}`;

export const hasShortName = (type: string): boolean => !byTheirId.test(type);

/** Names that other services have for the types of items here. */
const types: Readonly<Record<string, string>> = {
  "AWS::EC2::Volume": "AWS::EBS::Volume",
  "AWS::EC2::Ami": "AWS::EC2::AMI",
  "AWS::EC2::Image": "AWS::EC2::AMI",
  "AWS::EC2::DhcpOptions": "AWS::EC2::DHCPOptions",
};

/** The item that another service means by a type and a name: an id, a full name, an address or a plain name. */
export function referenceOf(type: string, name: string, place: Place): ItemReference {
  const known = types[type] ?? type;
  const isWhole =
    !hasShortName(known) ||
    /^(?:arn:|https?:\/\/)/.test(name) ||
    // Ids that never come again: of roles and users, of databases.
    /^(?:A[A-Z0-9]{3}[A-Z0-9]{12,}|(?:db|cluster)-[A-Z0-9]{20,})$/.test(name);
  return { externalId: isWhole ? name : shortName(known, name, place), type: known };
}
