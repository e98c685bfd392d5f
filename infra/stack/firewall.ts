import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { gatewayReply } from '../gateway/responses.ts';
import type { ServiceOptions } from './service-options.ts';

/**
 * The names of the rules and of their metrics. The web ACL has the service's name, so that two services of an account are counted
 * separately.
 */
export const firewallRules = {
  knownAttackers: 'KnownAttackers',
  requestsPerAddress: 'RequestsPerAddress',
} as const;

/** The window of the rate rule, and so the time after which an address that stopped is accepted again. */
const windowSeconds = 300;

/**
 * The response to an address that sends too many requests: the contract's 429, which callers retry. It replaces the gateway's WAF_FILTERED.
 */
const tooManyRequests = gatewayReply({
  code: 'RATE_LIMITED',
  message: 'Too many requests from this address: retry after the seconds in Retry-After.',
});

/**
 * A regional web ACL in front of the API. It blocks addresses that AWS lists as attackers, and limits requests per address. No rule
 * inspects bodies: managed rule sets block bodies over 8 KB and text that looks like markup, and the contract allows both.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, stageArn: string, options: ServiceOptions) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'WebAcl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: counted(options.serviceName),
      customResponseBodies: {
        TooManyRequests: { contentType: 'APPLICATION_JSON', content: tooManyRequests.body },
      },
      rules: [
        {
          ...ruleNamed(firewallRules.knownAttackers, 0),
          overrideAction: { none: {} },
          statement: {
            managedRuleGroupStatement: {
              vendorName: 'AWS',
              name: 'AWSManagedRulesAmazonIpReputationList',
            },
          },
        },
        {
          ...ruleNamed(firewallRules.requestsPerAddress, 1),
          action: { block: { customResponse } },
          statement: {
            rateBasedStatement: {
              aggregateKeyType: 'IP',
              // Twice what an organization may send at once, because one server may serve several.
              limit: Math.max(2000, 2 * options.requestsPerOrganizationPerHour),
              evaluationWindowSec: windowSeconds,
            },
          },
        },
      ],
    });
    new CfnWebACLAssociation(this, 'Association', {
      resourceArn: stageArn,
      webAclArn: acl.attrArn,
    });
  }
}

const ruleNamed = (name: string, priority: number) => ({
  name,
  priority,
  visibilityConfig: counted(name),
});

/** Requests are counted but not sampled: a sample shows the whole request, including the Authorization header and the address. */
const counted = (metricName: string) => ({
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
  metricName,
});

const customResponse: CfnWebACL.CustomResponseProperty = {
  responseCode: tooManyRequests.status,
  customResponseBodyKey: 'TooManyRequests',
  // Allows any name except Content-Type, which the body sets (AWS WAF API reference, CustomResponse).
  responseHeaders: [
    { name: 'Retry-After', value: String(windowSeconds) },
    { name: 'Cache-Control', value: 'no-store' },
  ],
};
