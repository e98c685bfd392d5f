import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Sha256 } from '../../../../shared/store/table/sha256.ts';

test('a hash and an HMAC of any pieces are those of Node.js, with a secret of any kind and used again', async () => {
  const bytes = fc.uint8Array({ maxLength: 80 });
  const pieces = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), bytes));
  const secret = fc.oneof(fc.string({ minLength: 1 }), bytes);
  await fc.assert(
    fc.asyncProperty(pieces, secret, async (data, key) => {
      const ownHash = new Sha256();
      const hash = createHash('sha256');
      for (const piece of data) {
        ownHash.update(piece);
        hash.update(piece);
      }
      expect(Buffer.from(await ownHash.digest())).toEqual(hash.digest());

      const view =
        typeof key === 'string' ? key : new DataView(key.buffer, key.byteOffset, key.byteLength);
      const copy = typeof key === 'string' ? key : Uint8Array.from(key).buffer;
      for (const same of [key, key, view, copy]) {
        const ownHmac = new Sha256(same);
        const hmac = createHmac('sha256', key);
        for (const piece of data) {
          ownHmac.update(piece);
          hmac.update(piece);
        }
        expect(Buffer.from(await ownHmac.digest())).toEqual(hmac.digest());
      }
    }),
  );
});
