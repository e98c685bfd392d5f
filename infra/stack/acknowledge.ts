import { AspectPriority, Aspects, CfnResource, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** A finding of cdk-nag that is intended: `RULE` or `RULE[DETAIL]`. */
interface Finding {
  readonly id: string;
  readonly reason: string;
}

/**
 * Acknowledges findings in a construct and in all that it has. Version 3 of cdk-nag reads the CDK's validations; version 2 reads metadata of
 * each resource (https://github.com/cdklabs/cdk-nag/tree/v2.38.2#suppressing-a-rule), which needs no dependency on it.
 */
export function acknowledge(scope: IConstruct, ...findings: readonly Finding[]): void {
  Validations.of(scope).acknowledge(...findings);
  const suppressions = findings.map(({ id, reason }) => {
    const [rule = id, detail] = id.split(/[[\]]/);
    return { id: rule, reason, ...(detail && { applies_to: [detail] }) };
  });
  const visit = (node: IConstruct): void => {
    if (!CfnResource.isCfnResource(node) || !hasRules.test(node.cfnResourceType)) return;
    const { rules_to_suppress: others = [] } = node.getMetadata('cdk_nag') ?? {};
    node.addMetadata('cdk_nag', { rules_to_suppress: [...others, ...suppressions] });
  };
  // An aspect also finds what is added later, such as the policy of a role. It comes before cdk-nag, whose aspect only reads.
  Aspects.of(scope).add({ visit }, { priority: AspectPriority.MUTATING });
}

/** The types that a rule is about. The others of an API would lengthen the template by a quarter. */
const hasRules =
  /::(RestApi|Stage|Method|Function|EventInvokeConfig|Role|Policy|Rule|Queue|Bucket|Subscription)$/;
