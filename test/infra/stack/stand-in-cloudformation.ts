import type { Template } from 'aws-cdk-lib/assertions';
import { type EndpointName, endpointNamed } from '../../../shared/endpoints.ts';
import type { PolicyStatement } from '../../security/roles/role-statements.ts';
import { statementsOf } from '../../security/roles/role-statements.ts';

/**
 * A stand-in for what CloudFormation, IAM and Lambda do to one function during a deployment. It has their limits:
 *
 * - A role's policy and a function are different resources: CloudFormation updates them by the function's DependsOn.
 * - Code and environment are different calls, UpdateFunctionCode and UpdateFunctionConfiguration. AWS documents no order, so it has both.
 *   Until a call is complete, Lambda runs what it ran before (API_UpdateFunctionConfiguration: "you can still invoke it").
 * - A policy that IAM has accepted takes effect later (IAM user guide, troubleshoot_general: "eventual consistency").
 * - The deployment fails after any step. CloudFormation then sets back what it changed. AWS documents no order, so it has all.
 *
 * Functions depend on no other function, so one at a time shows every order of all.
 */
type Side = 'before' | 'after';
const parts = ['accepted', 'role', 'code', 'environment'] as const;
/** What a function has at one moment: `accepted` is the policy that IAM shows, `role` the one that IAM applies. */
export type Moment = Readonly<Record<(typeof parts)[number], Side>>;

/** A function of a template. */
export interface DeployedFunction {
  readonly statements: readonly PolicyStatement[];
  readonly table: string;
  /** Whether the function waits for the policy of its role. */
  readonly waitsForRole: boolean;
}

interface FunctionResource {
  readonly Properties: {
    readonly Description?: string;
    readonly Environment: { readonly Variables: { readonly LEADS_TABLE: unknown } };
  };
  readonly DependsOn?: readonly string[];
}

export function functionIn(template: Template, name: EndpointName): DeployedFunction {
  const { method, path } = endpointNamed(name);
  const description = `${method} ${path}`;
  const functions = template.findResources('AWS::Lambda::Function') as Record<
    string,
    FunctionResource
  >;
  const own = Object.values(functions).find(
    ({ Properties }) => Properties.Description === description,
  );
  if (!own) throw new Error(`The template has no function "${description}".`);
  const { LEADS_TABLE: table } = own.Properties.Environment.Variables;
  const policies = Object.keys(template.findResources('AWS::IAM::Policy'));
  return {
    statements: statementsOf(template, description),
    table: typeof table === 'string' ? table : 'leads',
    waitsForRole: (own.DependsOn ?? []).some((id) => policies.includes(id)),
  };
}

const all = (side: Side): Moment => ({
  accepted: side,
  role: side,
  code: side,
  environment: side,
});

/** The moments that can follow. */
function next(now: Moment, towards: Side, waitsForRole: boolean): Moment[] {
  const isRollback = towards === 'before';
  const may = {
    accepted: true,
    role: false,
    code: isRollback || !waitsForRole || now.accepted === towards,
    environment: isRollback || !waitsForRole || now.accepted === towards,
  };
  const changed = parts
    .filter((part) => may[part] && now[part] !== towards)
    .map((part): Moment => ({ ...now, [part]: towards }));
  return now.role === now.accepted ? changed : [...changed, { ...now, role: now.accepted }];
}

/** Every moment of a deployment and of its rollback after a failure at any moment, and the last moments of each. */
export function momentsOf({ waitsForRole }: DeployedFunction) {
  const seen = new Map<string, Moment>();
  const last = { deployed: new Set<string>(), rolledBack: new Set<string>() };
  const visited = new Set<string>();
  const visit = (now: Moment, towards: Side): void => {
    const name = JSON.stringify(now);
    if (visited.has(`${towards} ${name}`)) return;
    visited.add(`${towards} ${name}`);
    seen.set(name, now);
    const following = next(now, towards, waitsForRole);
    for (const one of following) visit(one, towards);
    if (following.length === 0) last[towards === 'after' ? 'deployed' : 'rolledBack'].add(name);
    if (towards === 'after') visit(now, 'before');
  };
  visit(all('before'), 'after');
  return {
    moments: [...seen.values()],
    deployed: [...last.deployed].map((name) => JSON.parse(name) as Moment),
    rolledBack: [...last.rolledBack].map((name) => JSON.parse(name) as Moment),
  };
}
