import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { ServiceOptions } from '../service-options.ts';

/** Where alarms go: a topic of the service's own for the e-mail address, a given topic, both or none. */
export class AlarmTopics extends Construct {
  readonly topics: readonly ITopic[];

  constructor(scope: Construct, id: string, { alarmEmail, alarmTopicArn }: Pick<ServiceOptions, 'alarmEmail' | 'alarmTopicArn'>) {
    super(scope, id);
    this.topics = [
      ...(alarmEmail ? [this.emailTopic(alarmEmail)] : []),
      ...(alarmTopicArn ? [Topic.fromTopicArn(this, 'Given', alarmTopicArn)] : []),
    ];
  }

  private emailTopic(address: string): Topic {
    const topic = new Topic(this, 'Email', { displayName: 'Lead service alarms', enforceSSL: true });
    topic.addSubscription(new EmailSubscription(address));
    // Enforcing TLS gives the topic a policy of its own, which takes the place of the one by which the account's alarms may publish.
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
      reason: 'An e-mail that cannot be delivered is still an alarm on the dashboard: a queue of old alarms would help nobody.',
    });
    return topic;
  }
}
