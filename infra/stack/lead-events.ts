import { Duration } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { EventSourceMapping, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { eventFilter } from '../../shared/store/table/event-filter.ts';
import { publisherName } from '../bundle/built-functions.ts';
import { acknowledge } from './acknowledge.ts';
import { BundledFunction, type OfService } from './endpoint-function.ts';
import type { LeadTable } from './lead-table.ts';

/** How long the stream keeps a record (AWS: DynamoDB Streams, data retention). */
const retriedFor = Duration.days(1);
/** Publishing a batch of this size takes about a second. */
const batchSize = 100;

/**
 * Publishes the events of the table's stream on an EventBridge bus, only with `events: true`. Lambda retries refused events for a day. Then
 * it records in the dead-letter queue which part of the stream it gave up.
 */
export class LeadEvents extends Construct {
  readonly bus: EventBus;
  readonly publisher: BundledFunction;
  readonly undelivered: Queue;

  constructor(scope: Construct, id: string, table: LeadTable, service: OfService) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', {
      // It has no description, because CloudFormation does not support one in every region.
      eventBusName: service.options.serviceName,
    });
    this.undelivered = new Queue(this, 'Undelivered', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.publisher = new BundledFunction(this, 'Publisher', service, {
      bundle: publisherName,
      description: 'Publishes the events of new timeline items',
      // Enough for a batch of 100 events of one lead, each in a separate request.
      timeout: Duration.seconds(60),
      memoryMb: 512,
      environment: { EVENT_BUS: this.bus.eventBusName },
    });
    table.grantStreamTo(this.publisher);
    this.bus.grantPutEventsTo(this.publisher);
    new EventSourceMapping(this, 'Source', {
      target: this.publisher,
      eventSourceArn: table.streamArn,
      // The stream begins with the first change after it is switched on.
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize,
      filters: [{ pattern: JSON.stringify(eventFilter) }],
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      maxRecordAge: retriedFor,
      onFailure: new SqsDlq(this.undelivered),
    }).node.addDependency(this.publisher.role);
    this.#acknowledge();
  }

  /** The intended findings of cdk-nag, with the reasons. */
  #acknowledge(): void {
    acknowledge(this.publisher.role, {
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'dynamodb:ListStreams does not support resources (IAM reference, DynamoDB).',
    });
    const reason = 'It is a dead-letter queue itself, of the event source mapping.';
    acknowledge(
      this.undelivered,
      { id: 'AwsSolutions-SQS3', reason },
      { id: 'Serverless-SQSRedrivePolicy', reason },
    );
  }
}
