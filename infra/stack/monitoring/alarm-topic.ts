import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { ServiceOptions } from '../service-options.ts';

/** The topics that alarms are sent to: a new one for the email address, an existing one, both or none. */
export class AlarmTopics extends Construct {
  readonly topics: readonly ITopic[];

  constructor(
    scope: Construct,
    id: string,
    { alarmEmail, alarmTopicArn }: Pick<ServiceOptions, 'alarmEmail' | 'alarmTopicArn'>,
  ) {
    super(scope, id);
    this.topics = [
      ...(alarmEmail ? [this.emailTopic(alarmEmail)] : []),
      ...(alarmTopicArn ? [Topic.fromTopicArn(this, 'Given', alarmTopicArn)] : []),
    ];
  }

  private emailTopic(address: string): Topic {
    const topic = new Topic(this, 'Email', {
      displayName: 'Lead service alarms',
      enforceSSL: true,
    });
    topic.addSubscription(new EmailSubscription(address));
    // With enforced TLS the topic gets a policy, which replaces the default policy that lets the account's alarms publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisAccount',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    Validations.of(topic).acknowledge({
      id: 'Serverless-SNSRedrivePolicy',
      reason:
        'If an email cannot be delivered, the dashboard still shows the alarm: nobody would read a queue of old alarms.',
    });
    return topic;
  }
}
