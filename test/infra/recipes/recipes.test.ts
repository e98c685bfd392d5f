import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { expect, test } from 'vitest';
import { projectFolder } from '../../support/service-process.ts';

test.each([
  ['email', 'AWS::SNS::Topic', { Email: 'sales@example.com', CrmUrl: 'https://crm.example.com' }],
  ['queue', 'AWS::SQS::Queue', {}],
  ['firehose', 'AWS::KinesisFirehose::DeliveryStream', { BucketName: 'events' }],
])('the recipe %s can be part of a CDK stack', (name, target, more) => {
  const stack = new Stack(new App(), 'Consumer');
  new CfnInclude(stack, 'Recipe', {
    templateFile: join(projectFolder, 'infra', 'recipes', `${name}.yaml`),
    parameters: { EventBusName: 'leads', ...more },
  });

  const template = Template.fromStack(stack);

  template.hasResourceProperties('AWS::Events::Rule', {
    EventBusName: 'leads',
    EventPattern: Match.anyValue(),
  });
  expect(Object.keys(template.findResources(target))).not.toEqual([]);
});
