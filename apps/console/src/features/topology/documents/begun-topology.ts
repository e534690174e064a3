/** What a topology begins with that is written from nothing. */
export const begunTopology = `apiVersion: canaries.flanksource.com/v1
kind: Topology
metadata:
  name: my-system
  namespace: default
spec:
  schedule: "@every 10m"
  components:
    - name: my-service
      type: Service
`;
