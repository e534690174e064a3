/** What "Add check" starts with: a document that runs as it is. */
export const canaryTemplate = `apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata:
  name: my-check
  namespace: default
  labels:
    team: platform
spec:
  schedule: "@every 1m"
  http:
    - name: my-service
      url: https://example.com/
      responseCodes: [200]
      thresholdMillis: 2000
`;
