import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

/**
 * Requests of one address in five minutes, above which it is blocked until it slows down. An organization at its limit sends 250,
 * so one server may speak for eight of them.
 */
export const requestsPerAddress = 2000;

/**
 * A regional web ACL before the API: addresses that AWS knows as attackers', and a cap per address. No rule looks into bodies: the common
 * rule sets refuse bodies over 8 KB and enquiries that look like markup, and both are allowed by the contract.
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
          statement: { managedRuleGroupStatement: { vendorName: 'AWS', name: 'AWSManagedRulesAmazonIpReputationList' } },
          visibilityConfig: counted('KnownAttackers'),
        },
        {
          name: 'RequestsPerAddress',
          priority: 1,
          action: { block: {} },
          statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit: requestsPerAddress, evaluationWindowSec: 300 } },
          visibilityConfig: counted('RequestsPerAddress'),
        },
      ],
    });
    new CfnWebACLAssociation(this, 'Association', { resourceArn: stageArn, webAclArn: acl.attrArn });
  }
}

/** Counted, never sampled: a sample shows whole requests, the Authorization header and the address with them. */
const counted = (metricName: string) => ({ cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false, metricName });
