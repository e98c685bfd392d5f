import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { type Access, admissionAccess, type Endpoint, type ItemType } from '../shared/endpoints.ts';
import { partitionKeyPrefixes, tableDefinition } from '../shared/store/table-definition.ts';

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** The one table of the service, made from `shared/store/table-definition.ts` and kept when its stack goes. */
export class LeadTable extends Table {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      partitionKey: text(tableDefinition.partitionKey),
      sortKey: text(tableDefinition.sortKey),
      timeToLiveAttribute: tableDefinition.timeToLiveAttribute,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // The table holds personal data: with the account's key instead of AWS's own, each use of it is on CloudTrail's record.
      encryption: TableEncryption.AWS_MANAGED,
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    for (const index of tableDefinition.indexes) {
      this.addGlobalSecondaryIndex({
        indexName: index.name,
        partitionKey: text(index.partitionKey),
        sortKey: text(index.sortKey),
        projectionType: ProjectionType.KEYS_ONLY,
      });
    }
  }

  /**
   * Allows what the endpoint's row says and what admission needs, item type by item type: one statement per action and
   * per table or index, limited to partition keys with the prefixes of the types.
   */
  grantTo(grantee: IGrantable, endpoint: Endpoint): void {
    for (const [action, itemTypes] of accessOf(endpoint)) {
      for (const { name, resource, held } of this.resourcesOf(itemTypes)) {
        grantee.grantPrincipal.addToPrincipalPolicy(
          new PolicyStatement({
            sid: `${action}On${name}`,
            actions: [`dynamodb:${action}`],
            resources: [resource],
            conditions: {
              'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': held.map((itemType) => `${partitionKeyPrefixes[itemType]}*`) },
              // ForAllValues holds when there is no value at all: a request that names no partition key is none of ours.
              Null: { 'dynamodb:LeadingKeys': 'false' },
            },
          }),
        );
      }
    }
  }

  /** The table with the item types it holds of these, then each index among them. */
  private resourcesOf(itemTypes: readonly ItemType[]): { name: string; resource: string; held: readonly ItemType[] }[] {
    const indexes = tableDefinition.indexes.filter(({ holds }) => itemTypes.includes(holds));
    const inTable = itemTypes.filter((itemType) => !indexes.some(({ holds }) => holds === itemType));
    const table = inTable.length > 0 ? [{ name: 'Table', resource: this.tableArn, held: inTable }] : [];
    return [
      ...table,
      ...indexes.map(({ name, holds }) => ({
        name: name.charAt(0).toUpperCase() + name.slice(1),
        resource: `${this.tableArn}/index/${name}`,
        held: [holds],
      })),
    ];
  }
}

/** Action to item types: the endpoint's own and admission's, each type once. */
function accessOf(endpoint: Endpoint): [keyof Access, readonly ItemType[]][] {
  const accesses: readonly Access[] = [admissionAccess, endpoint.access];
  const actions = new Set(accesses.flatMap((access) => Object.keys(access) as (keyof Access)[]));
  return [...actions].map((action) => [action, [...new Set(accesses.flatMap((access) => access[action] ?? []))]]);
}
