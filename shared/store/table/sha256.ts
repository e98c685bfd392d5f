import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';

type Secret = string | ArrayBuffer | ArrayBufferView;

/**
 * SHA-256 and its HMAC, for the signatures of the SDK. The SDK's own class gives Node.js the bytes of the signing key for each signature, which
 * takes 17 µs; with a key object it takes 4. The SDK keeps the signing key of a day, so its object is kept with it.
 */
export class Sha256 {
  readonly #hash: Pick<ReturnType<typeof createHmac>, 'update' | 'digest'>;

  /** @param secret the key of an HMAC; without one, a hash is made */
  constructor(secret?: Secret) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', keyOf(secret));
  }

  update(data: Secret): void {
    this.#hash.update(typeof data === 'string' ? data : bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

const keys = new WeakMap<object, KeyObject>();

function keyOf(secret: Secret): string | KeyObject {
  if (typeof secret === 'string') return secret;
  let key = keys.get(secret);
  if (!key) {
    key = createSecretKey(bytesOf(secret));
    keys.set(secret, key);
  }
  return key;
}

const bytesOf = (data: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
