import { existsSync } from 'node:fs';
import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  EventSourceMapping,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  StartingPosition,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  releaseVariable,
  serviceNameVariable,
  serviceVersionVariable,
} from '../../shared/metrics.ts';
import { eventFilter } from '../../shared/store/table/table-definition.ts';
import { builtRelease, bundleFolder, publisherName } from '../bundle/bundle.ts';
import { memoryVariables } from '../bundle/function-memory.ts';
import type { LeadTable } from './lead-table.ts';
import type { ServiceOptions } from './service-options.ts';

export interface LeadEventsProps {
  readonly table: LeadTable;
  readonly options: ServiceOptions;
  /** Of the service, for log lines. */
  readonly version: string;
}

/** As long as the stream keeps a record (AWS: DynamoDB Streams, data retention). */
const retriedFor = Duration.days(1);
/** A batch of this many records is published in about a second. `infra/local/event-source.ts` has the same. */
const batchSize = 100;
const publisherMemoryMb = 512;

/**
 * Publishes the events of the table's stream on an EventBridge bus: with `events: true` only. Lambda repeats what the bus refused for a day,
 * then tells the dead-letter queue which part of the stream it gave up.
 */
export class LeadEvents extends Construct {
  readonly bus: EventBus;
  readonly publisher: LambdaFunction;
  readonly undelivered: Queue;

  constructor(scope: Construct, id: string, { table, options, version }: LeadEventsProps) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', {
      eventBusName: options.serviceName,
      description: 'Events of the lead management service',
    });
    this.undelivered = new Queue(this, 'Undelivered', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.publisher = this.newPublisher(table, options, version);
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
    }).node.addDependency(this.publisher.role as Role);
    this.acknowledge();
  }

  private newPublisher(table: LeadTable, options: ServiceOptions, version: string): LambdaFunction {
    const logGroup = new LogGroup(this, 'PublisherLog', {
      retention: options.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'PublisherRole', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    logGroup.grantWrite(role);
    table.grantStreamTo(role);
    role.addToPolicy(
      new PolicyStatement({
        sid: 'PutEventsOnBus',
        actions: ['events:PutEvents'],
        resources: [this.bus.eventBusArn],
      }),
    );
    return new LambdaFunction(this, 'Publisher', {
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      description: 'Publishes the events of new timeline items',
      code: publisherCode(),
      // For a batch of 100 events of one lead, each in a request of its own.
      timeout: Duration.seconds(60),
      memorySize: publisherMemoryMb,
      environment: {
        EVENT_BUS: this.bus.eventBusName,
        ...memoryVariables(publisherMemoryMb),
        [serviceNameVariable]: options.serviceName,
        [serviceVersionVariable]: version,
        [releaseVariable]: builtRelease(publisherName),
      },
      loggingFormat: LoggingFormat.TEXT,
      tracing: options.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      logGroup,
      role,
    });
  }

  /** The findings of cdk-nag that are intended, with the reasons. */
  private acknowledge(): void {
    Validations.of(this.publisher).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason:
        'The event source mapping has a dead-letter queue; nobody invokes the function asynchronously.',
    });
    Validations.of(this.publisher).acknowledge({
      id: 'Serverless-LambdaTracing',
      reason:
        'No request waits for the function: each batch logs its events and what was published.',
    });
    if (this.publisher.role)
      Validations.of(this.publisher.role).acknowledge({
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason:
          'dynamodb:ListStreams, and with tracing xray:PutTraceSegments and xray:PutTelemetryRecords, do not support resources (IAM reference).',
      });
    for (const id of ['AwsSolutions-SQS3', 'Serverless-SQSRedrivePolicy'])
      Validations.of(this.undelivered).acknowledge({
        id,
        reason: 'It is a dead-letter queue itself, of the event source mapping.',
      });
  }
}

/** @throws Error when the function has not been built */
function publisherCode(): Code {
  const folder = bundleFolder(publisherName);
  if (!existsSync(folder))
    throw new Error(
      `${publisherName} is not built: await buildFunctions() (infra/bundle/bundle.ts) before you create the service.`,
    );
  return Code.fromAsset(folder);
}
