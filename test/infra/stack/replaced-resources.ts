/**
 * What a changed logical ID of each type does at the next deployment: CloudFormation creates a resource under the new one, and removes or
 * abandons the old one.
 */
const effects: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::DomainName': 'the deployment would fail, because the domain exists',
  'AWS::ApiGateway::RestApi': 'the base URL would change, and every caller would fail',
  'AWS::CloudWatch::Alarm': 'the deployment would fail, because an alarm of that name exists',
  'AWS::CloudWatch::Dashboard':
    'the deployment would fail, because a dashboard of that name exists',
  'AWS::DynamoDB::Table': 'the service would begin with an empty table',
  'AWS::Events::EventBus': 'the deployment would fail or the rules of consumers would get no event',
  'AWS::KMS::Key': 'the table would get another key, and backups would need the old one',
  'AWS::Lambda::EventSourceMapping': 'events that are not published yet would be lost',
  'AWS::Lambda::Function':
    'the function would lose its log, and requests would fail until the API calls the new one',
  'AWS::Logs::LogGroup': 'the log would be deleted',
  'AWS::SNS::Topic': 'nobody would be notified of alarms until the email is confirmed again',
  'AWS::SQS::Queue': 'events that could not be published would be lost',
};

/** A new alarm does no harm before it is released; all else is listed from the start. */
const mustBeListed = (type: string): boolean =>
  Object.hasOwn(effects, type) && type !== 'AWS::CloudWatch::Alarm';

/** Compares the resources of a template that no release may replace with those of the released templates, by logical ID. */
export function replacedResources(
  released: Readonly<Record<string, string>>,
  resources: Readonly<Record<string, { readonly Type: string }>>,
): string[] {
  const gone = Object.entries(released)
    .filter(([id, type]) => resources[id]?.Type !== type)
    .map(([id, type]) => `${id} (${type}) is gone: ${effects[type] ?? 'it would be replaced'}.`);
  const added = Object.entries(resources)
    .filter(([id, { Type }]) => mustBeListed(Type) && released[id] !== Type)
    .map(([id, { Type }]) => `${id} (${Type}) is new: if it is meant, add it to logical-ids.json.`);
  return [...gone, ...added];
}
