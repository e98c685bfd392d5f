import type { AdministratorCommand, CommandOptions, FileOfLeads } from '../administration.ts';
import type { ObservedAction } from '../checker/history.ts';
import { firstKeys, type KeyKind, removables } from '../organizations.ts';
import { Client, newKey, spelled } from './client.ts';

/** Who runs the organization: archives, restores, erases, reassigns, imports and exports leads, changes settings, replaces keys. */
export class Administrator extends Client {
  #commands = 0;
  /** Leads whose erasure broke off: it is given again. */
  readonly #erasing = new Set<number>();
  #imported: FileOfLeads | undefined;
  /** Files of which an undo broke off. */
  readonly #undoing = new Set<FileOfLeads>();

  async run(): Promise<void> {
    const commands = [
      () => this.#give('archive', { leadId: this.leadId() }),
      () => this.#give('restore', { leadId: this.leadId() }),
      () => this.#erase(this.leadId()),
      () => this.#import('import'),
      () => this.#import('import update'),
      () => this.#imported && this.#undo(this.#imported),
      () => this.#give('export', {}),
      // To the user who is always active.
      () => this.#give('reassign', { ownerId: this.own(8), newOwnerId: this.own(7) }),
      () => this.#applySettings(),
      () => this.#applySettings(),
      () => this.#give('settings undo', {}),
      () => this.#replaceKey(),
      () => this.#replaceKey(),
    ];
    for (; this.#commands < Math.ceil(this.options.requests / 3); this.#commands += 1) {
      await this.random.pick<() => Promise<unknown> | undefined>(commands)();
      await this.pause();
    }
  }

  /** What broke off is done again, as the commands say. */
  override async finish(): Promise<readonly string[]> {
    const issues: string[] = [];
    for (const leadId of this.#erasing) {
      const { outcome, result } = await this.#erase(leadId);
      if (outcome !== 'done')
        issues.push(`The erasure of lead ${leadId} ${outcome}: ${String(result)}.`);
    }
    for (const file of this.#undoing) {
      const { outcome, result } = await this.#undo(file);
      if (outcome !== 'done') issues.push(`The undo of an import ${outcome}: ${String(result)}.`);
    }
    return issues;
  }

  #give<Name extends AdministratorCommand>(
    name: Name,
    options: CommandOptions<Name>,
  ): Promise<ObservedAction> {
    return this.options.service.administrate(name, this.shared.organizationId, options);
  }

  async #erase(leadId: number): Promise<ObservedAction> {
    this.#erasing.add(leadId);
    const action = await this.#give('erase', { leadId });
    if (action.outcome === 'done') this.#erasing.delete(leadId);
    return action;
  }

  async #undo(file: FileOfLeads): Promise<ObservedAction> {
    this.#undoing.add(file);
    const action = await this.#give('import undo', file);
    if (action.outcome === 'done') this.#undoing.delete(file);
    return action;
  }

  async #import(what: 'import' | 'import update'): Promise<void> {
    const { random } = this;
    const rows = random
      .shuffle(this.shared.people)
      .slice(0, random.between(1, 3))
      .map((person) => ({
        name: person.name,
        phone: spelled(random, person.phone),
        email: person.email,
        city:
          what === 'import' || random.chance(0.7) ? `${this.options.name}-${this.#commands}` : '',
      }));
    const file = {
      rows: random.chance(0.2) ? [...rows, ...rows.slice(0, 1)] : rows,
      leadsPerSecond: this.#commands % 2 === 0 ? Number.POSITIVE_INFINITY : 100,
    };
    this.#imported = file;
    const { outcome } = await this.#give(what, file);
    if (outcome !== 'done' || random.chance(0.3)) await this.#give(what, file);
  }

  async #applySettings(): Promise<void> {
    const { random, shared } = this;
    shared.variant = {
      hasWave: random.chance(0.5),
      hasSecondUser: random.chance(0.6),
      ...(random.chance(0.25) && { lacks: random.pick(removables) }),
      epoch: shared.variant.epoch + 1,
    };
    await this.#give('settings apply', shared.variant);
  }

  /** A new key, then the old one revoked, as the contract tells to (section 5, rule 4). */
  async #replaceKey(): Promise<void> {
    const { random, shared } = this;
    const { service } = this.options;
    const kind = random.pick(Object.keys(firstKeys) as KeyKind[]);
    const expiresAt = random.chance(0.5)
      ? new Date(service.now + random.between(-500, 3000)).toISOString()
      : undefined;
    const key = await newKey(service, shared.organizationId, {
      ...firstKeys[kind],
      ...(expiresAt && { expiresAt }),
    });
    if (!key) return;
    if (expiresAt) {
      shared.retiredKeys.push(key);
      return;
    }
    const old = shared.keys[kind];
    shared.keys[kind] = key;
    shared.retiredKeys.push(old);
    await this.#give('key revoke', { keyId: old.keyId });
  }
}
