import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isPlainObject } from '../../shared/base/json.ts';
import { nearestName } from '../../shared/organization/nearest-name.ts';
import { checkOptions, OptionsError } from './check-options.ts';
import { productionEnvironment, type ServiceOptions } from './service-options.ts';

type Options = Readonly<Record<string, unknown>>;

/** Options whose value belongs to one environment: with the same value, a second environment would use what the first one owns. */
const optionsOfOneEnvironment = [
  'tableName',
  'tableStreamArn',
  'domainName',
  'certificateArn',
  'kmsKey',
  'serviceName',
];

/** Values of `kmsKey` that do not name a key, so every environment may use them. */
const sharedValues: readonly unknown[] = ['aws-managed', 'customer-managed'];

/** The context in cdk.json, without the command line's options. */
export function contextOfCdkJson(): Options {
  const file = join(import.meta.dirname, '..', '..', 'cdk.json');
  const { context = {} }: { context?: Options } = JSON.parse(readFileSync(file, 'utf8'));
  return context;
}

/**
 * The options in the context of a CDK app. The CDK's own names contain `:`, `/` or `@`. All other names are read as options, so that a
 * misspelled option is refused instead of ignored.
 */
export function optionsInContext(context: Options): Options {
  const ownedByCdk = new Set(['cli-telemetry', 'acknowledged-issue-numbers']);
  return Object.fromEntries(
    Object.entries(context).filter(([name]) => !/[:/@]/.test(name) && !ownedByCdk.has(name)),
  );
}

/**
 * Chooses and checks the options of one environment. The command line takes precedence over `environments.<environment>` in cdk.json, and
 * that over the top level of cdk.json.
 *
 * @param context the CDK app's context: that of cdk.json, overridden by the command line
 * @param fileContext the context of cdk.json
 * @param region the deployment's region, if it is known
 * @throws OptionsError with all issues at once
 */
export function checkEnvironmentOptions(
  context: Options,
  fileContext: Options,
  region?: string,
): ServiceOptions {
  const { environments = {}, ...inForce } = optionsInContext(context);
  const { environments: _, ...inFile } = optionsInContext(fileContext);
  if (!isRecordOfRecords(environments)) {
    throw new OptionsError([
      'environments: must be an object of options by environment, such as {"production": {"tableName": "leads"}}.',
    ]);
  }
  const fromCommandLine = Object.fromEntries(
    Object.entries(inForce).filter(([name, value]) => !isDeepStrictEqual(value, inFile[name])),
  );
  const environment = String(inForce.environment ?? productionEnvironment);
  const issues = [
    ...misplacedOptions(inFile, fromCommandLine),
    ...unknownEnvironment(environment, Object.keys(environments)),
    ...issuesOfEnvironments(environments),
  ];
  if (issues.length > 0) throw new OptionsError(issues);
  return checkOptions({ ...inFile, ...environments[environment], ...fromCommandLine }, region);
}

/** If the command line names the environment, an option at the top level of cdk.json may belong to another environment. */
function misplacedOptions(inFile: Options, fromCommandLine: Options): string[] {
  if (fromCommandLine.environment === undefined) return [];
  const written = String(inFile.environment ?? productionEnvironment);
  return ownOptions(inFile)
    .filter((name) => fromCommandLine[name] === undefined)
    .map(
      (name) =>
        `${name}: cdk.json sets it for every environment, ${String(fromCommandLine.environment)} too: move it to environments.${written}.${name}.`,
    );
}

function unknownEnvironment(environment: string, known: readonly string[]): string[] {
  if (known.length === 0 || known.includes(environment)) return [];
  const nearest = nearestName(environment, known);
  return [
    `environment: '${environment}': is not in environments of cdk.json: ${nearest ? `did you mean ${nearest}?` : `add it, or choose ${known.join(' or ')}.`}`,
  ];
}

function issuesOfEnvironments(environments: Readonly<Record<string, Options>>): string[] {
  const owners = new Map<string, string>();
  return Object.entries(environments).flatMap(([environment, options]) => {
    const nested = ['environment', 'environments']
      .filter((name) => name in options)
      .map((name) => `environments.${environment}.${name}: is not allowed here: remove it.`);
    const shared = ownOptions(options).flatMap((name) => {
      const value = JSON.stringify([name, options[name]]);
      const owner = owners.get(value);
      owners.set(value, owner ?? environment);
      if (owner === undefined || ['kmsKey', 'certificateArn'].includes(name)) return [];
      return `environments.${environment}.${name}: is the same as in environments.${owner}: two environments cannot share it.`;
    });
    return [...nested, ...shared];
  });
}

const ownOptions = (options: Options): string[] =>
  optionsOfOneEnvironment.filter(
    (name) => options[name] !== undefined && !sharedValues.includes(options[name]),
  );

const isRecordOfRecords = (value: unknown): value is Readonly<Record<string, Options>> =>
  isPlainObject(value) && Object.values(value).every(isPlainObject);
