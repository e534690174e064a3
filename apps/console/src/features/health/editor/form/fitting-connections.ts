/** Types of connections that checks of a type can use; what is not here may use any. */
const byCheck: Readonly<Record<string, readonly string[]>> = {
  http: ["http"],
  webhook: ["http"],
  postgres: ["postgres"],
  mysql: ["mysql"],
  mssql: ["sql_server"],
  redis: ["redis"],
  mongodb: ["mongo"],
  mongo: ["mongo"],
  elasticsearch: ["elasticsearch"],
  opensearch: ["opensearch", "elasticsearch"],
  ldap: ["ldap"],
  prometheus: ["prometheus", "http"],
  alertmanager: ["http", "prometheus"],
  alertManager: ["http", "prometheus"],
  github: ["github"],
  gitProtocol: ["git", "github", "gitlab"],
  azureDevops: ["azure_devops"],
  awsConfig: ["aws"],
  awsConfigRule: ["aws"],
  cloudwatch: ["aws"],
  ec2: ["aws"],
  s3: ["s3", "aws"],
  s3Bucket: ["s3", "aws"],
  kubernetes: ["kubernetes"],
  dynatrace: ["dynatrace"],
  jmeter: ["jmeter"],
  restic: ["restic"],
};
const byHolder: Readonly<Record<string, readonly string[]>> = {
  awsConnection: ["aws", "s3"],
  aws: ["aws", "s3"],
  gcpConnection: ["google_cloud", "gcs"],
  gcp: ["google_cloud", "gcs"],
  azure: ["azure"],
  smbConnection: ["smb"],
  sftpConnection: ["sftp"],
  checkout: ["git", "github", "gitlab"],
  git: ["git", "github", "gitlab"],
  kubeconfig: ["kubernetes"],
  kubernetes: ["kubernetes"],
};

/** The types that fit at a place: what holds the connection says it, else the type of the check. Nothing means any. */
export function fittingTypes(
  checkType: string,
  path: readonly (string | number)[],
): readonly string[] | undefined {
  const holder = path.findLast(
    (step, index) => index < path.length - 1 && typeof step === "string",
  );
  return byHolder[String(holder)] ?? (holder === checkType ? byCheck[checkType] : undefined);
}
