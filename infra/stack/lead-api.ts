import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  type CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  ResponseType,
  RestApi,
  SecurityPolicy,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Alias, IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Endpoint } from '../../shared/endpoints.ts';
import { type GatewayResponse, gatewayResponseBody, gatewayResponseHeaders, gatewayResponses } from '../gateway-responses.ts';
import type { ServiceOptions } from './service-options.ts';

/** The stage is the first part of the deployed path, `/live/api/v1/leads`, except under a domain of its own. */
export const stageName = 'live';

/** TLS 1.2 and 1.3, with forward secrecy, against later computers too; nothing older (API Gateway: "Supported security policies"). */
const transportSecurity = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
};

/**
 * API Gateway (REST) in front of the functions: one method per endpoint, no CORS, and the contract's error body for every answer
 * of the gateway's own. No binary media types: bodies pass as text.
 */
export class LeadApi extends RestApi {
  /** Without a slash at the end: the contract's `{base_url}`. */
  readonly baseUrl: string;
  /** What the domain's DNS record (CNAME or alias) points to; none without a domain. */
  readonly domainTarget: string | undefined;

  constructor(scope: Construct, id: string, options: ServiceOptions) {
    super(scope, id, {
      restApiName: options.serviceName,
      description: 'Lead management service',
      endpointTypes: [EndpointType.REGIONAL],
      // The role would be set for all APIs of the account and region, and fight with other stacks over it.
      cloudWatchRole: false,
      disableExecuteApiEndpoint: options.domainName !== undefined,
      deployOptions: {
        stageName,
        // Every request that gets through costs a function's time, one without a key too.
        throttlingRateLimit: options.requestsPerSecond,
        throttlingBurstLimit: 2 * options.requestsPerSecond,
        ...(options.accessLogs && accessLogs(scope, `${id}AccessLog`, options.logRetentionDays)),
      },
    });
    // It ends in a slash that the contract's paths would double; the stack gives the base address without.
    this.node.tryRemoveChild('Endpoint');
    Object.assign(this.node.defaultChild as CfnRestApi, transportSecurity);
    for (const [type, response] of Object.entries(gatewayResponses)) answer(this, type, response);

    const { domainName, certificateArn } = options;
    if (domainName && certificateArn) {
      const certificate = Certificate.fromCertificateArn(this, 'Certificate', certificateArn);
      const domain = this.addDomainName('Domain', {
        domainName,
        certificate,
        endpointType: EndpointType.REGIONAL,
        ...transportSecurity,
      });
      this.baseUrl = `https://${domainName}`;
      this.domainTarget = domain.domainNameAliasDomainName;
    } else {
      this.baseUrl = this.deploymentStage.urlForPath().replace(/\/$/, '');
    }
    this.acknowledge(options);
  }

  /** Routes an endpoint's method and path to its function. */
  route({ method, path }: Endpoint, handler: Alias): void {
    const integration = new LambdaIntegration(handler as IFunction, {
      // The longest there is: unlike the function's own time-out it also covers a cold start, and a function must fail by its own.
      timeout: Duration.seconds(29),
      allowTestInvoke: false,
    });
    this.root.resourceForPath(path).addMethod(method, integration);
  }

  /** What cdk-nag finds and why it is so. */
  private acknowledge({ accessLogs, waf }: ServiceOptions): void {
    const keys =
      'Callers are servers with an API key of the contract, checked by every function before anything else: no method has an authorizer.';
    const account =
      'A log of the gateway needs a role set for the whole account and region: an option (accessLogs), since a first deployment must not change the account. Each call that reaches a function leaves a line with request id, key id, status and time.';
    const acknowledged: readonly (readonly [id: string, reason: string])[] = [
      [
        'AwsSolutions-APIG2',
        'The functions check each request by their schemas and answer in the error body of the contract, which a validator of the gateway cannot.',
      ],
      ['AwsSolutions-APIG4', keys],
      ['AwsSolutions-COG4', keys],
      [
        'AwsSolutions-APIG6',
        'The log of each execution would hold addresses, and with them what callers put there (KEY_IN_URL).',
      ],
      [
        'Serverless-APIGWXrayEnabled',
        'A trace of the gateway holds the address that was asked for, and with it what callers put there (KEY_IN_URL).',
      ],
      ...(accessLogs
        ? []
        : ([
            ['AwsSolutions-APIG1', account],
            ['Serverless-APIGWAccessLogging', account],
          ] as const)),
      ...(waf
        ? []
        : ([
            ['AwsSolutions-APIG3', 'An option (waf): it is paid by the month, and the keys and their limits hold without it.'],
          ] as const)),
    ];
    for (const [id, reason] of acknowledged) Validations.of(this).acknowledge({ id, reason });
  }
}

/** The resource's path and never the address; no caller's address, no agent, no header: no key and nothing of a person. */
function accessLogs(scope: Construct, id: string, retention: number): StageOptions {
  const fields = {
    requestId: '$context.requestId',
    method: '$context.httpMethod',
    resource: '$context.resourcePath',
    status: '$context.status',
    responseType: '$context.error.responseType',
    ms: '$context.responseLatency',
    functionMs: '$context.integrationLatency',
    functionStatus: '$context.integrationStatus',
    firewallStatus: '$context.wafResponseCode',
    tls: '$context.tlsVersion',
  };
  const logGroup = new LogGroup(scope, id, { retention, removalPolicy: RemovalPolicy.DESTROY });
  return {
    accessLogDestination: new LogGroupLogDestination(logGroup),
    accessLogFormat: AccessLogFormat.custom(JSON.stringify(fields)),
  };
}

/** Sets one answer of the gateway's own. Literal header values stand in quotes, as API Gateway wants them. */
function answer(restApi: RestApi, type: string, response: GatewayResponse): void {
  const { 'Content-Type': contentType = 'application/json', ...headers } = gatewayResponseHeaders(response);
  const literals = Object.entries(headers).map(([name, value]) => [name, `'${value}'`]);
  restApi.addGatewayResponse(type, {
    type: ResponseType.of(type),
    statusCode: String(response.status),
    templates: { [contentType]: gatewayResponseBody(response) },
    responseHeaders: { ...Object.fromEntries(literals), 'X-Request-Id': 'context.requestId' },
  });
}
