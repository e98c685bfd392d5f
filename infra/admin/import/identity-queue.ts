import { comparableEmail } from '../../../shared/leads/identity.ts';
import { emailOf, type FieldValues, phoneOf } from '../../../shared/leads/lead.ts';

/** A phone or an email: no two leads of an organization may share one. */
export interface Identity {
  readonly field: 'phone' | 'email';
  readonly value: string;
}

export function identitiesOf(fields: FieldValues): Identity[] {
  const email = emailOf({ fields });
  return [
    { field: 'phone', value: phoneOf({ fields }) },
    ...(email === null ? [] : [{ field: 'email', value: comparableEmail(email) } as const]),
  ];
}

/** The key of an identity in a map. */
export const identityKey = ({ field, value }: Identity): string => `${field} ${value}`;

/** A row's place in the queue. */
export interface QueuePlace {
  /** Settles when the earlier rows with the same phone or email are done; undefined when there are none. */
  readonly before: Promise<unknown> | undefined;
  /** Lets the rows behind this one go on. May be called again. */
  readonly done: () => void;
}

/** Makes rows that share a phone or an email wait for each other, so that they are written in the order of the file. */
export class IdentityQueue {
  readonly #lastPlaces = new Map<string, Promise<unknown>>();

  enter(fields: FieldValues): QueuePlace {
    const { promise, resolve } = Promise.withResolvers<void>();
    const keys = identitiesOf(fields).map(identityKey);
    const earlier = keys.flatMap((key) => this.#lastPlaces.get(key) ?? []);
    for (const key of keys) this.#lastPlaces.set(key, promise);
    const done = (): void => {
      for (const key of keys)
        if (this.#lastPlaces.get(key) === promise) this.#lastPlaces.delete(key);
      resolve();
    };
    return { before: earlier.length > 0 ? Promise.all(earlier) : undefined, done };
  }
}
