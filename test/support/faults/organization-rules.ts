import { hashApiKey } from '../../../shared/organization/api-key.ts';
import type { GivenOrganization } from '../organizations.ts';
import type { ArrivingCall, FaultRule } from './rules.ts';

/** Whether a call names the organization, or one of its API keys. */
export function isCallOf({
  id,
  reader,
  writer,
  website,
}: GivenOrganization): (call: ArrivingCall) => boolean {
  const own = new Set([String(id), ...[reader, writer, website].map(hashApiKey)]);
  return ({ items }) => items.some((item) => item.split(/[#|]/).some((part) => own.has(part)));
}

/** A rule for each of several organizations: tests at one proxy, each with an organization of its own, may then run at the same time. */
export class RulesByOrganization {
  readonly #rules = new Map<number, FaultRule>();

  /** Every other organization's calls pass, or meet its own rule. */
  set(organization: GivenOrganization, rule: FaultRule): void {
    const isOwn = isCallOf(organization);
    this.#rules.set(organization.id, (call) => (isOwn(call) ? rule(call) : undefined));
  }

  /** To be the proxy's. */
  readonly rule: FaultRule = (call) => {
    for (const rule of this.#rules.values()) {
      const fault = rule(call);
      if (fault) return fault;
    }
    return undefined;
  };
}
