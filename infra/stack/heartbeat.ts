import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { heartbeatVariables } from '../../shared/observability/metrics.ts';
import { heartbeatName } from '../bundle/built-functions.ts';
import { acknowledge } from './acknowledge.ts';
import { BundledFunction, type OfService } from './endpoint-function.ts';

/** A late heartbeat says nothing about the present, so Lambda drops it after this age, the shortest that it allows. */
const heartbeatMaxAge = Duration.minutes(1);

/**
 * Calls the public address from outside every five minutes, only with `heartbeat: true`. Its role may write its log and nothing else.
 * EventBridge starts a rule at any second of its minute
 * (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html). The rule names the third minute, so that each
 * call and its metric fall into the same period of five minutes. The alarm on unknown keys subtracts one from the other.
 */
export class Heartbeat extends Construct {
  /** @param baseUrl the address that callers use */
  constructor(scope: Construct, id: string, baseUrl: string, { options, release }: OfService) {
    super(scope, id);
    // Tracing would add a permission to the role.
    const service = { options: { ...options, tracing: false }, release };
    const handler = new BundledFunction(this, 'Function', service, {
      bundle: heartbeatName,
      description: 'Calls the public address of the service',
      timeout: Duration.seconds(15),
      memoryMb: 256,
      environment: {
        [heartbeatVariables.baseUrl]: baseUrl,
        ...(options.domainName && { [heartbeatVariables.watchesCertificate]: 'true' }),
      },
    });
    handler.configureAsyncInvoke({ maxEventAge: heartbeatMaxAge, retryAttempts: 0 });
    new Rule(this, 'EveryFiveMinutes', {
      description: 'Heartbeat of the lead management service',
      schedule: Schedule.cron({ minute: '2/5' }),
      targets: [new LambdaFunction(handler, { maxEventAge: heartbeatMaxAge, retryAttempts: 0 })],
    });
    const reason = 'A heartbeat that is lost is missing data, which sets off HeartbeatFailed.';
    acknowledge(
      this,
      { id: 'Serverless-LambdaAsyncFailureDestination', reason },
      { id: 'Serverless-EventBusDLQ', reason },
    );
  }
}
