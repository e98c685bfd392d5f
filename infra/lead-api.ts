import { Duration } from 'aws-cdk-lib';
import { EndpointType, LambdaIntegration, ResponseType, RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Endpoint } from '../shared/endpoints.ts';
import { type GatewayResponse, gatewayResponseBody, gatewayResponseHeaders, gatewayResponses } from './gateway-responses.ts';

/** The stage is the first part of the deployed path: `/live/api/v1/leads`. */
const stageName = 'live';

/**
 * API Gateway (REST) in front of the functions: one method per endpoint, no CORS, and the contract's error body for every answer
 * of the gateway's own. No binary media types: bodies pass as text.
 */
export class LeadApi extends RestApi {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      description: 'Lead management service',
      endpointTypes: [EndpointType.REGIONAL],
      // The role would be set for all APIs of the account and region, and fight with other stacks over it.
      cloudWatchRole: false,
      deployOptions: { stageName },
    });
    // It ends in a slash that the contract's paths would double; the stack gives the base address without.
    this.node.tryRemoveChild('Endpoint');
    for (const [type, response] of Object.entries(gatewayResponses)) answer(this, type, response);
  }

  /** Routes an endpoint's method and path to its function. */
  route({ method, path }: Endpoint, handler: IFunction): void {
    const integration = new LambdaIntegration(handler, {
      // The longest there is: unlike the function's own time-out it also covers a cold start, and a function must fail by its own.
      timeout: Duration.seconds(29),
      allowTestInvoke: false,
    });
    this.root.resourceForPath(path).addMethod(method, integration);
  }

  /** Without a slash at the end: the contract's `{base_url}`. */
  get baseUrl(): string {
    return this.deploymentStage.urlForPath().replace(/\/$/, '');
  }
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
