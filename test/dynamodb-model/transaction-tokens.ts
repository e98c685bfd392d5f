import { DynamodbError, transactionInProgress } from './errors.ts';
import type { TransactItem } from './request.ts';

/** So long after its end a request's token stands for it (API reference, `TransactWriteItems`, ClientRequestToken). */
const tokenLifeMs = 10 * 60_000;

interface KnownRequest {
  readonly items: readonly TransactItem[];
  /** Undefined while it is under way. */
  endedAt: number | undefined;
}

/** The requests that `ClientRequestToken` tells from one another. */
export class TransactionTokens {
  readonly #requests = new Map<string, KnownRequest>();

  /**
   * @returns whether the same request was applied before
   * @throws DynamodbError when it is under way, or another had this token
   */
  wasApplied(token: string | undefined, items: readonly TransactItem[], now: number): boolean {
    const known = token === undefined ? undefined : this.#requests.get(token);
    if (!known || (known.endedAt !== undefined && known.endedAt + tokenLifeMs <= now)) return false;
    if (known.items !== items && JSON.stringify(known.items) !== JSON.stringify(items)) {
      throw new DynamodbError(
        'IdempotentParameterMismatchException',
        'DynamoDB rejected the request because you retried a request with a different payload but with an idempotent token that was already used.',
      );
    }
    if (known.endedAt === undefined) throw transactionInProgress();
    return true;
  }

  begin(token: string | undefined, items: readonly TransactItem[], now: number): void {
    if (token === undefined) return;
    for (const [old, { endedAt }] of this.#requests) {
      if (endedAt === undefined || endedAt + tokenLifeMs > now) break;
      this.#requests.delete(old);
    }
    this.#requests.delete(token);
    this.#requests.set(token, { items, endedAt: undefined });
  }

  /** Of a request that was cancelled. */
  forget(token: string | undefined): void {
    if (token !== undefined) this.#requests.delete(token);
  }

  end(token: string | undefined, now: number): void {
    const known = token === undefined ? undefined : this.#requests.get(token);
    if (known) known.endedAt = now;
  }
}
