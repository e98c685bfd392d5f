import { firstKeys, idIn, type KeyKind, removables } from '../organizations.ts';
import { type Client, type ClientOptions, Sender, spelled } from './client.ts';

/** Who runs the organization: archives, restores, erases, reassigns, imports and exports leads, changes settings, replaces keys. */
export class Administrator implements Client {
  readonly #sender: Sender;
  #commands = 0;
  /** Leads whose erasure broke off: it is given again. */
  readonly #erasing = new Set<number>();

  constructor(options: ClientOptions) {
    this.#sender = new Sender(options);
  }

  async run(): Promise<void> {
    const { random, requests } = this.#sender.options;
    const commands = [
      () => this.#archive(true),
      () => this.#archive(false),
      () => this.#erase(this.#sender.leadId()),
      () => this.#import(),
      () => this.#export(),
      () => this.#reassign(),
      () => this.#applySettings(),
      () => this.#applySettings(),
      () => this.#undo(),
      () => this.#replaceKey(),
      () => this.#replaceKey(),
    ];
    for (; this.#commands < Math.ceil(requests / 3); this.#commands += 1) {
      await random.pick(commands)();
      await this.#sender.pause();
    }
  }

  /** What broke off is done again, as the commands say. */
  async finish(): Promise<readonly string[]> {
    const issues: string[] = [];
    for (const leadId of this.#erasing) {
      const { outcome, result } = await this.#erase(leadId);
      if (outcome !== 'done')
        issues.push(`The erasure of lead ${leadId} ${outcome}: ${String(result)}.`);
    }
    return issues;
  }

  get #organizationId(): number {
    return this.#sender.options.shared.organizationId;
  }

  async #archive(archived: boolean): Promise<void> {
    const leadId = this.#sender.leadId();
    const id = this.#organizationId;
    const what = archived ? 'archive' : 'restore';
    await this.#sender.options.service.administrate(what, id, { leadId }, (one) =>
      one.setArchived(id, leadId, archived),
    );
  }

  async #erase(leadId: number) {
    const id = this.#organizationId;
    this.#erasing.add(leadId);
    const action = await this.#sender.options.service.administrate('erase', id, { leadId }, (one) =>
      one.erase(id, leadId),
    );
    if (action.outcome === 'done') this.#erasing.delete(leadId);
    return action;
  }

  async #import(): Promise<void> {
    const { random, shared, name, service } = this.#sender.options;
    const id = this.#organizationId;
    const rows = random
      .shuffle(shared.people)
      .slice(0, random.between(1, 3))
      .map((person) => ({
        name: person.name,
        phone: spelled(random, person.phone),
        email: person.email,
        city: `${name}-${this.#commands}`,
      }));
    const file = random.chance(0.2) ? [...rows, ...rows.slice(0, 1)] : rows;
    const leadsPerSecond = this.#commands % 2 === 0 ? Number.POSITIVE_INFINITY : 100;
    const importOnce = () =>
      service.administrate('import', id, { rows: file }, (one) =>
        one.importRows(id, file, { leadsPerSecond }),
      );
    const { outcome } = await importOnce();
    if (outcome !== 'done' || random.chance(0.3)) await importOnce();
  }

  async #export(): Promise<void> {
    const id = this.#organizationId;
    await this.#sender.options.service.administrate('export', id, {}, (one) => one.export(id));
  }

  /** To the user who is always active. */
  async #reassign(): Promise<void> {
    const id = this.#organizationId;
    const [ownerId, newOwnerId] = [idIn(id, 8), idIn(id, 7)];
    await this.#sender.options.service.administrate('reassign', id, { ownerId }, (one) =>
      one.reassign(id, ownerId, newOwnerId),
    );
  }

  async #applySettings(): Promise<void> {
    const { random, shared, service } = this.#sender.options;
    const id = this.#organizationId;
    const variant = {
      hasWave: random.chance(0.5),
      hasSecondUser: random.chance(0.6),
      ...(random.chance(0.25) && { lacks: random.pick(removables) }),
      epoch: shared.variant.epoch + 1,
    };
    shared.variant = variant;
    await service.administrate('settings apply', id, { ...variant }, (one) =>
      one.applySettings(id, variant),
    );
  }

  async #undo(): Promise<void> {
    const id = this.#organizationId;
    await this.#sender.options.service.administrate('settings undo', id, {}, (one) => one.undo(id));
  }

  /** A new key, then the old one revoked, as the contract tells to (section 5, rule 4). */
  async #replaceKey(): Promise<void> {
    const { random, shared, service } = this.#sender.options;
    const id = this.#organizationId;
    const kind = random.pick(Object.keys(firstKeys) as KeyKind[]);
    const expiresAt = random.chance(0.5)
      ? new Date(service.now + random.between(-500, 3000)).toISOString()
      : undefined;
    const key = await service.newKey(id, {
      ...firstKeys[kind],
      createdBy: idIn(id, 7),
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
    await service.administrate('key revoke', id, { keyId: old.keyId }, (one) =>
      one.revokeKey(id, old.keyId),
    );
  }
}
