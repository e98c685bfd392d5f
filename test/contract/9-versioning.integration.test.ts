import { describe, expect, test } from 'vitest';
import description from '../../openapi.json' with { type: 'json' };
import { endpoints } from '../../shared/contract/endpoints.ts';
import { service } from '../support/service.ts';

describe('9 the version is in the path prefix: every endpoint begins with /api/v1', () => {
  test.each(endpoints.map(({ method, path }) => [method, path] as const))(
    '%s %s is at no other prefix',
    async (method, path) => {
      const others = [
        path.replace('/api/v1', ''),
        path.replace('/api/v1', '/api'),
        path.replace('v1', 'v2'),
        path.replace('v1', 'V1'),
      ];

      const answers = await Promise.all(
        [path, ...others].map((one) =>
          fetch(service().baseUrl + one.replace('{leadId}', '1'), { method }),
        ),
      );

      expect(path.startsWith('/api/v1/')).toBe(true);
      expect(answers[0]?.status).not.toBe(404);
      expect(answers.slice(1).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    },
  );

  test('openapi.json has version 1.0.0', () => {
    expect(description.info.version).toBe('1.0.0');
  });
});
