import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

/**
 * An address that sends more requests in five minutes is blocked until it slows down. An organization at its limit sends 250, so one
 * server may send the requests of eight organizations.
 */
export const requestsPerAddress = 2000;

/**
 * A regional web ACL in front of the API. It blocks addresses that AWS knows as attackers, and limits requests per address. No rule
 * inspects bodies: managed rule sets block bodies over 8 KB and text that looks like markup, and the contract allows both.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, stageArn: string) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'WebAcl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: counted('Firewall'),
      rules: [
        {
          name: 'KnownAttackers',
          priority: 0,
          overrideAction: { none: {} },
          statement: {
            managedRuleGroupStatement: {
              vendorName: 'AWS',
              name: 'AWSManagedRulesAmazonIpReputationList',
            },
          },
          visibilityConfig: counted('KnownAttackers'),
        },
        {
          name: 'RequestsPerAddress',
          priority: 1,
          action: { block: {} },
          statement: {
            rateBasedStatement: {
              aggregateKeyType: 'IP',
              limit: requestsPerAddress,
              evaluationWindowSec: 300,
            },
          },
          visibilityConfig: counted('RequestsPerAddress'),
        },
      ],
    });
    new CfnWebACLAssociation(this, 'Association', {
      resourceArn: stageArn,
      webAclArn: acl.attrArn,
    });
  }
}

/** Requests are counted but not sampled: a sample shows the whole request, including the Authorization header and the address. */
const counted = (metricName: string) => ({
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
  metricName,
});
