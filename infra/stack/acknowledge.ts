import { AspectPriority, Aspects, CfnResource, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** An intended finding of cdk-nag: `RULE` or `RULE[DETAIL]`. */
interface Finding {
  readonly id: string;
  readonly reason: string;
}

/**
 * Acknowledges findings in a construct and everything inside it. Version 3 of cdk-nag reads the CDK's validations. Version 2 reads metadata
 * of each resource (https://github.com/cdklabs/cdk-nag/tree/v2.38.2#suppressing-a-rule), which can be written without depending on cdk-nag.
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
  // An aspect also visits resources that are added later, such as a role's policy. It runs before cdk-nag, whose aspect only reads.
  Aspects.of(scope).add({ visit }, { priority: AspectPriority.MUTATING });
}

/** The resource types that have rules. Metadata on all other resources of an API would lengthen the template by a quarter. */
const hasRules =
  /::(RestApi|Stage|Method|Function|EventInvokeConfig|Role|Policy|Rule|Queue|Bucket|Subscription)$/;
