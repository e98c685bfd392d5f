import { expect, test } from 'vitest';
import { endpoints } from '../../../shared/contract/endpoints.ts';
import { fuzz } from './episodes.ts';

/** `npm run fuzz` runs longer, and with any seed. Five episodes, one of each kind of organization. */
const seed = 3;
const episodes = [0, 1, 2, 3, 4];
/** On two slow cores that everything else runs on, too. */
const timeoutMs = 240_000;

test(
  'no request made from or beyond the schemas gets a response that the document does not describe',
  async () => {
    const { outcomes, findings } = await fuzz({ engine: 'auto', seed, episodes });

    expect(findings.join('\n\n')).toBe('');
    const seen = Object.keys(outcomes).map((place) => place.split(' '));
    expect(
      new Set(seen.filter(([, outcome]) => outcome?.startsWith('2')).map(([name]) => name)),
    ).toEqual(new Set(endpoints.map(({ name }) => name)));
    expect(seen.map(([, outcome]) => outcome)).toEqual(
      expect.arrayContaining([
        'UNAUTHORIZED',
        'FORBIDDEN',
        'HTTPS_REQUIRED',
        'KEY_IN_URL',
        'NOT_FOUND',
        'NOT_READY',
        'DUPLICATE_LEAD',
        'INVALID_JSON',
        'INVALID_QUERY',
        'VALIDATION_FAILED',
        'UNSUPPORTED_MEDIA_TYPE',
        'PAYLOAD_TOO_LARGE',
      ]),
    );
  },
  timeoutMs,
);
