import { CfnQueryDefinition, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { logQueries } from './log-queries.ts';

/** The lines of one request, key or organization: replace the value in capitals. */
const lookups: Readonly<Record<string, string>> = {
  Request: 'requestId = "REQUEST_ID"',
  Key: 'keyId = "KEY_ID"',
  Organization: 'organizationId = ORGANIZATION_ID',
};

/** CloudWatch's saved queries, in a folder with the name of the service: by request, key and organization, and those of the dashboard. */
export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string, serviceName: string, logGroups: ILogGroup[]) {
    super(scope, id);
    for (const [name, condition] of Object.entries(lookups))
      this.save(`${serviceName}/${name}`, logGroups, [
        'fields @timestamp, endpoint, organizationId, keyId, status, code, ms, requestId, error.message',
        `filter ${condition}`,
        'sort @timestamp desc',
        'limit 100',
      ]);
    for (const { title, queryLines } of logQueries)
      this.save(`${serviceName}/${title}`, logGroups, queryLines);
  }

  private save(name: string, logGroups: ILogGroup[], lines: readonly string[]): void {
    new CfnQueryDefinition(this, name.slice(name.indexOf('/') + 1), {
      name,
      queryString: lines.join('\n| '),
      logGroupNames: logGroups.map(({ logGroupName }) => logGroupName),
    });
  }
}
