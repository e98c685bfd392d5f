import { Duration, RemovalPolicy } from 'aws-cdk-lib';
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
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Endpoint } from '../../shared/contract/endpoints.ts';
import { type GatewayResponse, gatewayReply, gatewayResponses } from '../gateway/responses.ts';
import { acknowledge } from './acknowledge.ts';
import type { ServiceOptions } from './service-options.ts';

/** The stage is the first part of the path, `/live/api/v1/leads`, except under a custom domain. */
export const stageName = 'live';

/** Only TLS 1.2 and 1.3, with forward secrecy and post-quantum key exchange (API Gateway: "Supported security policies"). */
const transportSecurity = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
};

/**
 * API Gateway (REST) in front of the functions: one method per endpoint, no CORS, and the contract's error body in the gateway's own
 * responses. It has no binary media types, so bodies are passed on as text.
 */
export class LeadApi extends RestApi {
  /** The contract's `{base_url}`, without a trailing slash. */
  readonly baseUrl: string;
  /** The target of the domain's DNS record (CNAME or alias); undefined without a domain. */
  readonly domainTarget: string | undefined;

  constructor(scope: Construct, id: string, options: ServiceOptions) {
    super(scope, id, {
      restApiName: options.serviceName,
      description: 'Lead management service',
      endpointTypes: [EndpointType.REGIONAL],
      // The role would apply to all APIs of the account and region, and another stack may have set it.
      cloudWatchRole: false,
      disableExecuteApiEndpoint: options.domainName !== undefined && !options.keepDefaultAddress,
      deployOptions: {
        stageName,
        // Every request that passes this throttle invokes a function, even without a key.
        throttlingRateLimit: options.requestsPerSecond,
        throttlingBurstLimit: 2 * options.requestsPerSecond,
        ...(options.accessLogs && accessLogs(scope, `${id}AccessLog`, options.logRetentionDays)),
      },
    });
    // The default output ends in a slash, but the contract's paths begin with one. The stack adds an output without the slash.
    this.node.tryRemoveChild('Endpoint');
    Object.assign(this.node.defaultChild as CfnRestApi, transportSecurity);
    for (const [type, response] of Object.entries(gatewayResponses))
      addResponse(this, type, response);

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
  route({ method, path }: Endpoint, handler: IFunction): void {
    const integration = new LambdaIntegration(handler, {
      // The maximum. It includes a cold start, which a function's own time-out does not, and the function should reach its own first.
      timeout: Duration.seconds(29),
      allowTestInvoke: false,
    });
    this.root.resourceForPath(path).addMethod(method, integration);
  }

  /** The intended findings of cdk-nag, with the reasons. */
  private acknowledge({ accessLogs, waf }: ServiceOptions): void {
    const keys =
      'Callers are servers with an API key, which every function checks first: no method needs an authorizer.';
    const address =
      'An execution log or a trace of the gateway contains the address, and callers may put a key there (KEY_IN_URL).';
    const account =
      'Access logs are an option (accessLogs): they need a role for the whole account and region, and a first deployment must not change the account. Each call that reaches a function logs its request ID, key ID, status and duration.';
    const reasons: Readonly<Record<string, string>> = {
      'AwsSolutions-APIG2':
        'The functions validate each request and return the error body of the contract, which a validator of the gateway cannot.',
      'AwsSolutions-APIG4': keys,
      'AwsSolutions-COG4': keys,
      'AwsSolutions-APIG6': address,
      'Serverless-APIGWXrayEnabled': address,
      ...(!accessLogs && {
        'AwsSolutions-APIG1': account,
        'Serverless-APIGWAccessLogging': account,
      }),
      ...(!waf && {
        'AwsSolutions-APIG3':
          'A web ACL is an option (waf), because it costs a monthly fee. Keys and rate limits work without it.',
      }),
    };
    acknowledge(this, ...Object.entries(reasons).map(([id, reason]) => ({ id, reason })));
  }
}

/** Logs the resource's path instead of the requested address, and no IP address, user agent or header: so no key and no personal data. */
function accessLogs(scope: Construct, id: string, retention: number): StageOptions {
  const fields = {
    requestId: '$context.extendedRequestId',
    method: '$context.httpMethod',
    resource: '$context.resourcePath',
    status: '$context.status',
    responseType: '$context.error.responseType',
    ms: '$context.responseLatency',
    functionMs: '$context.integrationLatency',
    functionStatus: '$context.integrationStatus',
    functionRequestId: '$context.awsEndpointRequestId',
    firewallStatus: '$context.wafResponseCode',
    tls: '$context.tlsVersion',
  };
  const logGroup = new LogGroup(scope, id, { retention, removalPolicy: RemovalPolicy.DESTROY });
  return {
    accessLogDestination: new LogGroupLogDestination(logGroup),
    accessLogFormat: AccessLogFormat.custom(JSON.stringify(fields)),
  };
}

/** Sets one of the gateway's own responses. API Gateway expects literal header values in quotes. */
function addResponse(restApi: RestApi, type: string, response: GatewayResponse): void {
  const { status, headers: all, body } = gatewayReply(response);
  const { 'Content-Type': contentType = 'application/json', ...headers } = all;
  const literals = Object.entries(headers).map(([name, value]) => [name, `'${value}'`]);
  restApi.addGatewayResponse(type, {
    type: ResponseType.of(type),
    statusCode: String(status),
    templates: { [contentType]: body },
    responseHeaders: {
      ...Object.fromEntries(literals),
      'X-Request-Id': 'context.extendedRequestId',
    },
  });
}
