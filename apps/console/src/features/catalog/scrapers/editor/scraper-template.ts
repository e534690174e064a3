/** What "Add scraper" starts with: a document that runs as it is. */
export const scraperTemplate = `apiVersion: configs.flanksource.com/v1
kind: ScrapeConfig
metadata:
  name: this-machine
  namespace: default
spec:
  schedule: "@every 10m"
  host:
    - {}
`;
